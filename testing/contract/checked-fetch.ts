import { createParser } from 'eventsource-parser'
import { checkEvent, type CheckedResponse, checkResponse, mediaType } from './check-response.ts'

export interface CheckedFetchOptions {
  /** Where the server's router is mounted, absolute, such as `http://localhost:3000/api`. */
  readonly baseUrl: string
  /** Sends a request. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Told of each response that was found to be of the document. */
  readonly onChecked?: ((checked: CheckedResponse) => void) | undefined
}

/** Called as the global `fetch` is, and as the `fetch` option of a client. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * A `fetch` that checks each response below `baseUrl` against openapi.yaml, and each event of a stream as it passes. It
 * rejects with a ContractError when a response is not of the document, and its body breaks with one when an event is
 * not. For a client under test as well as for requests by hand.
 * @throws TypeError when `baseUrl` is not an absolute URL.
 */
export function checkedFetch({ baseUrl, fetch: send, onChecked }: CheckedFetchOptions): Fetch {
  // As a Request writes its URL: host in small letters, no default port.
  const base = new URL(baseUrl).href.replace(/\/+$/, '')
  return async (input, init) => {
    const request = new Request(input, init)
    const [url = ''] = request.url.split(/[?#]/)
    if (!url.startsWith(`${base}/`)) throw new TypeError(`${url} is not below ${base}`)
    const path = url.slice(base.length)
    const response = await (send ?? fetch)(request)
    const streams = mediaType(response) === 'text/event-stream'
    const checked = await checkResponse(request.method, path, streams ? withBody(response, null) : response.clone())
    onChecked?.(checked)
    if (!streams || response.body === null) return response
    const template = path === '/job-events' ? path : '/jobs/{job}/events'
    return withBody(response, response.body.pipeThrough(eventChecks(template)))
  }
}

function withBody({ status, statusText, headers }: Response, body: ReadableStream<Uint8Array> | null): Response {
  return new Response(body, { status, statusText, headers })
}

function eventChecks(template: Parameters<typeof checkEvent>[1]): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: (event) => checkEvent(event, template) })
  return new TransformStream({
    transform: (chunk, controller) => {
      parser.feed(decoder.decode(chunk, { stream: true }))
      controller.enqueue(chunk)
    },
  })
}
