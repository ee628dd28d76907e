import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Operations } from '../../server/http/operation.ts'
import { Access } from '../../server/http/access.ts'
import { createRouter } from '../../server/http/router.ts'
import { streamJobEvents } from '../../server/http/stream-job-events.ts'
import { Streams } from '../../server/http/streams.ts'
import type { Job } from '../../server/job.ts'
import { readJob } from '../../server/jobs/status.ts'
import { Watcher } from '../../server/jobs/watch.ts'
import { Telemetry } from '../../server/telemetry.ts'

export interface StreamAppOptions {
  readonly heartbeatMs?: number
  readonly maxLifeMs?: number
  readonly maxPendingEvents?: number
}

/** The event streams of the server over real sockets, with jobs that a test publishes from memory. */
export interface StreamApp {
  readonly url: string
  readonly server: Server
  readonly streams: Streams
  readonly watcher: Watcher
  /** How many clients were dropped. */
  readonly dropped: () => number
  /** Makes a job that is PROCESSING. */
  newJob(): Job
  /** Changes a job and tells the streams, as the commit of a change does. */
  publish(id: string, change: Partial<Job>): void
  /** Removes a job; the next look of the watcher finds that. */
  purge(id: string): void
  close(): Promise<void>
}

export async function startStreamApp(options: StreamAppOptions = {}): Promise<StreamApp> {
  const { heartbeatMs = 1_000, maxLifeMs = 3_600_000, maxPendingEvents = 64 } = options
  const jobs = new Map<string, Job>()
  const telemetry = new Telemetry()
  let dropped = 0
  telemetry.subscribe((name) => void (name === 'stream:dropped' && (dropped += 1)))
  const store = {
    read: async (id: string) => jobs.get(id),
    readChanges: async (seen: ReadonlyMap<string, number>) =>
      new Map([...seen.keys()].map((id) => [id, jobs.get(id) ?? null])),
  }
  const watcher = new Watcher({ store, telemetry, pollIntervalMs: 100 })
  const streams = new Streams({ heartbeatMs, maxLifeMs, maxStreams: 10_000, maxStreamsPerCaller: 10_000 })
  const access = new Access({}, readJob(store))
  const operations = {
    streamJobEvents: streamJobEvents({ access, watcher, streams, telemetry, maxPendingEvents }),
  } as Operations
  const http = createRouter({ operations, telemetry, maxBodyBytes: 1_000, maxBatchBytes: 1_000 })
  await http.warmUp()
  const server = createServer(express().use(http.router))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    streams,
    watcher,
    dropped: () => dropped,
    newJob: () => {
      const job = newJob()
      jobs.set(job.id, job)
      return job
    },
    publish: (id, change) => {
      const before = jobs.get(id) as Job
      const lastUpdatedAt = new Date(before.lastUpdatedAt.getTime() + 1)
      const job = { ...before, version: before.version + 1, lastUpdatedAt, ...change }
      jobs.set(id, job)
      watcher.tell([job])
    },
    purge: (id) => void jobs.delete(id),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function newJob(): Job {
  const now = new Date()
  const times = { createdAt: now, lastUpdatedAt: now }
  return {
    id: randomUUID(),
    tenant: '',
    type: 'x',
    status: 'PROCESSING',
    version: 2,
    percentComplete: null,
    failure: null,
    ...times,
  }
}
