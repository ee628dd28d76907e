import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can fall silent: both directions stay open and carry nothing. */
export interface TcpProxy {
  readonly port: number
  blackHole(): void
  heal(): void
  close(): Promise<void>
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let silent = false
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (bytes) => {
      if (!silent) to.write(bytes)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      if (!silent) to.destroy()
    })
  }
  const server = createServer((client) => {
    // While the network is silent a connection is made and nothing ever answers.
    const upstream = connect(target)
    forward(client, upstream)
    forward(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    blackHole: () => (silent = true),
    heal: () => (silent = false),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
