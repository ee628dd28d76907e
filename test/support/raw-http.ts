import { connect, type Socket } from 'node:net'

/** What came back, and the connection that it came over. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly socket: Socket
  /** Resolves when the server, or `socket.destroy()`, has ended the connection. */
  readonly closed: Promise<void>
}

/** Opens a connection to the server of a URL. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url)
  // What a cut connection reports is not of interest; that it closed is.
  return connect(Number(port), hostname).on('error', () => {})
}

/**
 * Sends bytes as they are, where `fetch` would tidy them up.
 * @param bytes a request; of a string each character is a byte.
 * @returns the first response, once it is complete or the connection has closed.
 */
export function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = open(url)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return readAnswer(socket, { bodiless: String(bytes).startsWith('HEAD ') })
}

/** Reads one response from a connection. */
export function readAnswer(socket: Socket, { bodiless = false } = {}): Promise<RawAnswer> {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return new Promise((resolve, reject) => {
    let text = ''
    const look = (end: boolean): void => {
      const answer = parse(text, bodiless || end)
      if (answer !== undefined) return resolve({ ...answer, socket, closed })
      if (end) reject(new Error(`the connection closed after ${JSON.stringify(text)}`))
    }
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      look(false)
    })
    socket.once('close', () => look(true))
  })
}

function parse(text: string, complete: boolean): Pick<RawAnswer, 'status' | 'headers' | 'body'> | undefined {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  if (rest.length === 0) return undefined
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Headers(fields.map((field) => field.split(/:(.*)/s).slice(0, 2) as [string, string]))
  const status = Number(line.split(' ')[1])
  const body = rest.join('\r\n\r\n')
  const length = status === 204 || status === 304 ? 0 : Number(headers.get('content-length') ?? Infinity)
  return complete || body.length >= length ? { status, headers, body } : undefined
}

/** The answer as the contract harness takes it. */
export function toResponse({ status, headers, body }: RawAnswer): Response {
  return new Response(body === '' ? null : Buffer.from(body, 'latin1'), { status, headers })
}
