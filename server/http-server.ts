import { createServer, type RequestListener, type Server } from 'node:http'

/** Above the 60 s that load balancers keep idle connections, or they reuse one that is just being closed. */
const keepAliveTimeoutMs = 65_000

/** How long the last answers may take to be sent, in milliseconds. */
const lastAnswersMs = 1_000

/** An HTTP server that may stand behind a load balancer. */
export function createHttpServer(listener: RequestListener): Server {
  return createServer({ keepAliveTimeout: keepAliveTimeoutMs, headersTimeout: keepAliveTimeoutMs + 1_000 }, listener)
}

/**
 * Refuses new connections, cuts idle ones, waits for what ends the open answers, and cuts what is left a second later.
 * @param endAnswers resolves when nothing answers any more.
 */
export async function closeHttpServer(server: Server, endAnswers: () => Promise<void>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  try {
    await endAnswers()
  } finally {
    server.closeIdleConnections()
    const cut = setTimeout(() => server.closeAllConnections(), lastAnswersMs)
    await closed
    clearTimeout(cut)
  }
}
