import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An edge of the kind that event streams have to live with. */
export interface FaultProxy {
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts a proxy that cuts a connection over which nothing has come for a while, and holds the header of a response back
 * until the first byte of its body has come.
 * @param target the URL of the server behind it.
 */
export async function startFaultProxy(target: string, { idleMs }: { idleMs: number }): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (bytes) => upstream.write(bytes))
    upstream.setTimeout(idleMs, () => upstream.destroy())
    let held: Buffer | undefined = Buffer.alloc(0)
    upstream.on('data', (bytes) => {
      if (held === undefined) return void client.write(bytes)
      held = Buffer.concat([held, bytes])
      const bodyAt = held.indexOf('\r\n\r\n') + 4
      if (bodyAt < 4 || held.length <= bodyAt) return
      client.write(held)
      held = undefined
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
