import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { client } from '../../support/app.ts'
import { memoryInUse } from '../../support/memory.ts'
import { open } from '../../support/raw-http.ts'
import { startStreamApp, type StreamApp } from '../../support/stream-app.ts'

let app: StreamApp

afterEach(async () => {
  await app.close()
})

const request = (id: string, ...fields: string[]): string =>
  [`GET /jobs/${id}/events HTTP/1.1`, 'Host: a.example', ...fields, '', ''].join('\r\n')

/** Opens streams that are read; resolves when the first bytes of each have come. */
function openStreams(id: string, count: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = open(app.url)
      socket.write(request(id))
      await once(socket, 'data')
      return socket.resume()
    }),
  )
}

/** Resolves when the server has ended the body of the response, by its last, empty chunk. */
async function endOf(socket: Socket): Promise<void> {
  let tail = ''
  while (!tail.endsWith('\r\n0\r\n\r\n')) {
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    tail = `${tail}${bytes.toString('latin1')}`.slice(-7)
  }
}

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

/** Nothing is held for any stream: no entry, no watch, no timer. */
async function expectNothingHeld(before: number): Promise<void> {
  await expect.poll(() => app.streams.size, { timeout: 2_000 }).toBe(0)
  await expect.poll(() => app.watcher.size, { timeout: 2_000 }).toBe(0)
  expect(timers()).toBeLessThanOrEqual(before)
}

describe('the open streams of a process', () => {
  it('leave nothing behind when 500 clients come and go [K67]', async () => {
    app = await startStreamApp()
    const before = timers()
    const { id } = app.newJob()
    const sockets = await openStreams(id, 500)
    expect(app.streams.size).toBe(500)
    expect(app.watcher.size).toBe(1)
    // One heartbeat and one watch, however many streams.
    expect(timers()).toBeLessThanOrEqual(before + 2)
    for (const socket of sockets) socket.destroy()
    await expectNothingHeld(before)
  })

  it('leave nothing behind when clients go before they are answered [K67]', async () => {
    app = await startStreamApp()
    const before = timers()
    const { id } = app.newJob()
    for (let turn = 0; turn < 100; turn += 1) {
      const socket = open(app.url)
      socket.write(request(id))
      if (turn % 3 > 0) await sleep(turn % 3)
      socket.destroy()
    }
    const connections = promisify(app.server.getConnections.bind(app.server))
    await expect.poll(() => connections()).toBe(0)
    await expectNothingHeld(before)
    expect(app.dropped()).toBe(0)
  })

  it('leave nothing behind when requests for them are pipelined on one connection [K67]', async () => {
    app = await startStreamApp()
    const before = timers()
    const { id } = app.newJob()
    const socket = open(app.url)
    socket.write(request(id).repeat(8))
    await expect.poll(() => app.streams.size).toBe(8)
    socket.destroy()
    await expectNothingHeld(before)
  })

  it('leave nothing behind on a connection that is used again', async () => {
    app = await startStreamApp()
    const before = timers()
    const socket = open(app.url)
    for (let turn = 0; turn < 20; turn += 1) {
      const { id } = app.newJob()
      app.publish(id, { status: 'COMPLETED' })
      socket.write(request(id))
      await endOf(socket)
    }
    await expect.poll(() => app.streams.size).toBe(0)
    expect(socket.listenerCount('close')).toBeLessThan(5)
    socket.destroy()
    await expectNothingHeld(before)
  })

  it('live no longer than the retention [A47 G14]', async () => {
    app = await startStreamApp({ heartbeatMs: 50, maxLifeMs: 200 })
    const { id } = app.newJob()
    const events = await client(app.url).readEvents(id)
    expect(events.map(({ event }) => event)).toEqual(['status'])
    await expect.poll(() => app.streams.size).toBe(0)
  })

  it('end with what they say when the server stops, old and new, and a client that does not read is cut [K71]', async () => {
    app = await startStreamApp({ heartbeatMs: 60_000 })
    const { id } = app.newJob()
    const reading = await openStreams(id, 50)
    const stalled = open(app.url)
    stalled.pause()
    stalled.write(request(id))
    await expect.poll(() => app.streams.size).toBe(51)
    await report(id, 2_000)
    const closed = once(stalled, 'close')
    const ends = reading.map((socket) => endOf(socket))
    app.streams.endAll()
    await Promise.all(ends)
    app.publish(id, { percentComplete: 1, lastUpdatedAt: new Date() })
    expect((await client(app.url).readEvents(id)).map(({ event }) => event)).toEqual(['status'])
    await expect.poll(() => app.streams.size, { timeout: 3_000 }).toBe(0)
    stalled.resume()
    await closed
    app.streams.start()
    await openStreams(id, 1)
    expect(app.streams.size).toBe(1)
  })
})

/** A time that is written as 4,000 characters: events so large fill a connection with a few hundred of them. */
const fat = Object.assign(new Date(), { toISOString: () => 'x'.repeat(4_000) })

/** Reports progress again and again. A client that reads has the time to. */
async function report(id: string, times: number, look: (step: number) => void = () => {}): Promise<void> {
  for (let step = 0; step < times; step += 1) {
    app.publish(id, { percentComplete: step % 100, lastUpdatedAt: fat })
    if (step % 10 === 0) await new Promise(setImmediate)
    look(step)
  }
}

describe('clients that do not read', () => {
  it('are dropped and take no memory, beside a job that reports 100,000 times [K69]', async () => {
    app = await startStreamApp({ heartbeatMs: 500 })
    const before = timers()
    const { id } = app.newJob()
    const sockets = Array.from({ length: 200 }, () => {
      const socket = open(app.url).pause()
      socket.write(request(id))
      return socket
    })
    await expect.poll(() => app.streams.size, { timeout: 20_000 }).toBe(200)
    const [reader] = await openStreams(id, 1)
    let tail = ''
    reader?.on('data', (bytes: Buffer) => (tail = `${tail}${bytes.toString('latin1')}`.slice(-200)))
    const start = memoryInUse().rss
    let peak = start
    await report(id, 100_000, (step) => {
      if (step % 500 === 0 && app.streams.size > 1) peak = Math.max(peak, memoryInUse().rss)
    })
    await expect.poll(() => app.streams.size, { timeout: 20_000 }).toBe(1)
    expect(app.dropped()).toBe(200)
    expect(peak - start).toBeLessThan(10 * 1024 * 1024)
    app.publish(id, { status: 'CANCELLED' })
    await expect.poll(() => tail).toMatch(/event: cancelled[^]*\r\n0\r\n\r\n$/)
    for (const socket of [...sockets, reader]) socket?.destroy()
    await expectNothingHeld(before)
  }, 60_000)
})
