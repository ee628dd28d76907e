import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import express, { type Express } from 'express'
import {
  type AsyncJobs,
  type AsyncJobsOptions,
  createAsyncJobs,
  type EventName,
  type Logger,
  type OperationalEvents,
} from '../../server/index.ts'
import { checkEvent, checkResponse } from './contract.ts'

/** Times that keep a test short; each test may set others. */
export const quick = {
  processing: { pollInterval: 'PT0.1S', lease: 'PT2S' },
  recovery: { scanInterval: 'PT0.5S' },
  sse: { pollInterval: 'PT0.1S', heartbeat: 'PT1S' },
} as const

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** What a test app may be told. */
export interface AppOptions extends AsyncJobsOptions {
  /** Where the router is mounted. Default: `/`. */
  readonly mount?: string
  /** Adds the application's own middleware and routes before the router is mounted. */
  readonly before?: (app: Express) => void
  readonly after?: (app: Express) => void
  /** Makes the application. Default: the installed Express. */
  readonly newApp?: () => Express
  /** The port to listen on. Default: a free one. */
  readonly port?: number
}

export interface TestEvent {
  readonly event: string
  readonly id: string
  readonly data: Record<string, unknown>
}

export interface TestApp {
  readonly asyncJobs: AsyncJobs
  readonly server: Server
  /** With the mount path, without a trailing slash. */
  readonly url: string
  readonly events: { name: EventName; event: OperationalEvents[EventName] }[]
  /** Fetches below the mount path; the response is checked against the document. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Submits and returns the id. */
  submit(type: string, init?: RequestInit): Promise<string>
  /** Reads a stream to its end; every event is checked against the document. */
  readEvents(jobId: string, init?: RequestInit): Promise<TestEvent[]>
  /** Opens a stream and yields its events as they come. */
  stream(jobId: string, init?: RequestInit): AsyncGenerator<TestEvent>
  /** Opens a stream of many jobs and yields its events as they come. */
  streamMany(jobIds: readonly string[], init?: RequestInit): AsyncGenerator<TestEvent>
  /** Resolves with the status once the job has ended. */
  ended(jobId: string): Promise<Record<string, unknown>>
  /** Resolves when an operational event of the name arrives, or has arrived, that the test accepts. */
  seen<Name extends EventName>(
    name: Name,
    accept?: (event: OperationalEvents[Name]) => boolean,
  ): Promise<OperationalEvents[Name]>
  close(): Promise<void>
}

/** Starts async-jobs inside an Express application on a free port. */
export async function startApp(options: AppOptions): Promise<TestApp> {
  const { mount = '/', before, after, newApp = express, port = 0, onEvent, ...rest } = options
  const events: TestApp['events'] = []
  const waiters = new Set<() => void>()
  const asyncJobs = createAsyncJobs({
    ...quick,
    // The suite runs once more without hints, and through a pooler that has none.
    ...(process.env['AJ_TEST_HINTS'] === 'off' ? { hints: { enabled: false } } : {}),
    logger: silent,
    ...rest,
    onEvent: (name, event) => {
      events.push({ name, event })
      for (const wake of waiters) wake()
      onEvent?.(name, event)
    },
  })
  const app = newApp()
  before?.(app)
  app.use(mount, asyncJobs.router)
  after?.(app)
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await asyncJobs.start()
  const base = mount === '/' ? '' : mount
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`
  return {
    asyncJobs,
    server,
    url,
    events,
    ...client(url),
    seen: (name, accept = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.find((one) => one.name === name && accept(one.event as never))
          if (found === undefined) return
          waiters.delete(look)
          resolve(found.event as never)
        }
        waiters.add(look)
        look()
      }),
    close: async () => {
      await asyncJobs.stop({ graceMs: 0 })
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

type Client = Pick<TestApp, 'fetch' | 'submit' | 'readEvents' | 'stream' | 'streamMany' | 'ended'>

/** The requests of a test, to any server that serves the document at the URL. */
export function client(url: string): Client {
  const checkedFetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`${url}${path}`, init)
    const [pathname = path] = path.split('?')
    const stream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    await checkResponse(init.method ?? 'GET', pathname, stream ? bodiless(response) : response.clone())
    return response
  }
  async function* read(path: string, init: RequestInit): AsyncGenerator<TestEvent> {
    const headers = { accept: 'text/event-stream', ...(init.headers as Record<string, string> | undefined) }
    const response = await checkedFetch(path, { ...init, headers })
    if (response.body === null || response.status !== 200) throw new Error(`no stream but ${response.status}`)
    const parsed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const event of parsed as unknown as AsyncIterable<{ event?: string; id?: string; data: string }>) {
      checkEvent(event, path.startsWith('/job-events') ? '/job-events' : undefined)
      yield { event: event.event ?? '', id: event.id ?? '', data: JSON.parse(event.data) as Record<string, unknown> }
    }
  }
  const stream: TestApp['stream'] = (jobId, init = {}) => read(`/jobs/${jobId}/events`, init)
  const streamMany: TestApp['streamMany'] = (jobIds, init = {}) => read(`/job-events?job=${jobIds.join(',')}`, init)
  const readEvents = async (jobId: string, init?: RequestInit): Promise<TestEvent[]> => {
    const all: TestEvent[] = []
    for await (const event of stream(jobId, init)) all.push(event)
    return all
  }
  return {
    fetch: checkedFetch,
    stream,
    streamMany,
    readEvents,
    submit: async (type, init = {}) => {
      const response = await checkedFetch(`/jobs/${type}`, { method: 'POST', ...init })
      if (response.status !== 202) throw new Error(`submit: ${response.status} ${await response.text()}`)
      return ((await response.json()) as { jobId: string }).jobId
    },
    ended: async (jobId) => {
      await readEvents(jobId)
      return (await (await checkedFetch(`/jobs/${jobId}/status`)).json()) as Record<string, unknown>
    },
  }
}

function bodiless({ status, headers }: Response): Response {
  return new Response(null, { status, headers })
}
