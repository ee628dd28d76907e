import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** One request of the client, and the means to answer it. */
export interface Exchange {
  /** Its place among the requests of its route, from 1. */
  readonly nth: number
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly body: string
  /** Milliseconds on the monotonic clock when it arrived. */
  readonly at: number
  /** Resolves when the answer was sent in full or the connection is gone. */
  readonly closed: Promise<void>
}

/** Answers a request, now or later, or never. */
export type Answer = (exchange: Exchange) => unknown

/** What each route answers; a key is a method and a path of the contract, such as `GET /jobs/{job}/status`. */
export type Script = Record<string, Answer>

interface Route {
  readonly pattern: RegExp
  readonly exchanges: Exchange[]
  open: number
  maxOpen: number
}

/** A real HTTP server on loopback whose every answer a test writes, and which remembers what it was asked. */
export class ScriptedServer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #routes = new Map<string, Route>()
  readonly #script: Script
  #arrivals: (() => void)[] = []
  #port = 0

  private constructor(script: Script) {
    this.#script = script
    for (const key of Object.keys(script)) {
      const pattern = new RegExp(`^${key.replaceAll(/\{\w+\}/g, '[^/?]+')}$`)
      this.#routes.set(key, { pattern, exchanges: [], open: 0, maxOpen: 0 })
    }
    this.#server = createServer((req, res) => void this.#handle(req, res))
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(script: Script): Promise<ScriptedServer> {
    const server = new ScriptedServer(script)
    await server.#listen()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The requests of a route so far, in order. */
  requests(route: string): readonly Exchange[] {
    return this.#route(route).exchanges
  }

  /** How many requests of a route are being answered now. */
  open(route: string): number {
    return this.#route(route).open
  }

  /** The most requests of a route that were ever answered at the same time. */
  maxOpen(route: string): number {
    return this.#route(route).maxOpen
  }

  /** The nth request of a route (from 1), once it has arrived. */
  async arrived(route: string, nth = 1): Promise<Exchange> {
    for (;;) {
      const exchange = this.requests(route)[nth - 1]
      if (exchange) return exchange
      await new Promise<void>((resolve) => this.#arrivals.push(resolve))
    }
  }

  /** Breaks every connection and listens again on the same port. */
  async restart(): Promise<void> {
    await this.close()
    await this.#listen()
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (this.#server.address() as AddressInfo).port
  }

  #route(key: string): Route {
    const route = this.#routes.get(key)
    if (!route) throw new Error(`The script has no route ${key}`)
    return route
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const at = performance.now()
    const line = `${req.method} ${req.url}`
    const [key, route] = [...this.#routes].find(([, { pattern }]) => pattern.test(line)) ?? []
    if (!key || !route) return void res.writeHead(501).end(`No script for ${line}`)
    const body = await text(req).catch(() => '')
    route.open += 1
    route.maxOpen = Math.max(route.maxOpen, route.open)
    const closed = new Promise<void>((resolve) => res.once('close', resolve))
    void closed.then(() => (route.open -= 1))
    const nth = route.exchanges.length + 1
    const exchange = { nth, req, res, body, at, closed }
    route.exchanges.push(exchange)
    for (const arrived of this.#arrivals.splice(0)) arrived()
    await this.#script[key]?.(exchange)
  }
}

/** Answers with a status, header fields, and a body: text as it is, anything else as JSON. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Answer {
  const isText = typeof body === 'string'
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  return ({ res }) => {
    res.writeHead(status, { 'Content-Type': isText ? 'text/html' : type, ...headers })
    res.end(isText || body === undefined ? body : JSON.stringify(body))
  }
}

/** Answers the nth request with the nth answer, and all later ones with the last one. */
export function inTurn(...answers: readonly Answer[]): Answer {
  return (exchange) => answers[Math.min(exchange.nth, answers.length) - 1]?.(exchange)
}

/** Opens an event stream, writes these frames, and leaves it open. */
export function stream(...frames: readonly string[]): Answer {
  return ({ res }) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' })
    res.flushHeaders()
    for (const frame of frames) res.write(frame)
  }
}

/** Opens an event stream, writes these frames, and ends it. */
export function endedStream(...frames: readonly string[]): Answer {
  return (exchange) => {
    stream(...frames)(exchange)
    exchange.res.end()
  }
}

/** One event as the server frames it. */
export function frame(event: string, data: { version: number }): string {
  return `id: ${data.version}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Never answers. */
export const stall: Answer = () => undefined
