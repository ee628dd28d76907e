import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { describe, expect, it } from 'vitest'
import { EventStream } from '../../../server/http/event-stream.ts'
import type { JobEvent } from '../../../server/http/job-event.ts'

/** A response whose connection takes as much as the test lets it. */
class FakeResponse extends EventEmitter {
  readonly written: string[] = []
  /** What `write` answers: whether the connection has room for more. */
  room = true
  ended = false
  destroyed = false
  readonly socket = { destroy: () => (this.destroyed = true) }

  write(text: string): boolean {
    this.written.push(text)
    return this.room
  }

  end(): void {
    this.ended = true
  }
}

function setUp(maxPendingEvents = 64) {
  const res = new FakeResponse()
  const drops: number[] = []
  const onDropped = (pending: number): void => void drops.push(pending)
  return { res, drops, stream: new EventStream(res as unknown as Response, { maxPendingEvents, onDropped }) }
}

const event = (text: string, name: JobEvent['name'] = 'status', jobId = 'a'): JobEvent => ({ name, text, jobId })

/** Fills the connection with one event. */
function fill({ res, stream }: ReturnType<typeof setUp>): void {
  res.room = false
  stream.send(event('first'))
}

describe('an event stream', () => {
  it('writes at once while the client reads', () => {
    const { res, stream } = setUp()
    stream.send(event('a'))
    stream.send(event('b'))
    expect(res.written).toEqual(['a', 'b'])
  })

  it('holds back what a full connection has no room for, and sends it in one piece when there is [K69]', () => {
    const made = setUp()
    fill(made)
    for (const text of ['a', 'b']) made.stream.send(event(text))
    expect(made.res.written).toEqual(['first'])
    made.res.room = true
    made.res.emit('drain')
    expect(made.res.written).toEqual(['first', 'ab'])
    made.stream.send(event('c'))
    expect(made.res.written).toEqual(['first', 'ab', 'c'])
  })

  it('merges progress that waits, and nothing else [K69]', () => {
    const made = setUp()
    fill(made)
    for (const text of ['1', '2', '3']) made.stream.send(event(text, 'progress'))
    made.stream.send(event('status'))
    for (const text of ['4', '5']) made.stream.send(event(text, 'progress'))
    made.stream.send(event('end', 'complete'))
    made.res.emit('drain')
    expect(made.res.written).toEqual(['first', '3status5end'])
  })

  it('drops the client when more events wait than it may have [K69 A67]', () => {
    const made = setUp(64)
    fill(made)
    for (let n = 0; n < 64; n += 1) made.stream.send(event('x'))
    expect(made.drops).toEqual([])
    made.stream.send(event('x'))
    expect(made.drops).toEqual([65])
    expect(made.res.destroyed).toBe(true)
    made.stream.send(event('x'))
    made.stream.beat()
    expect(made.drops).toEqual([65])
    expect(made.res.written).toEqual(['first'])
  })

  it('drops the client when more than 256 KiB wait [K69]', () => {
    const made = setUp()
    fill(made)
    for (let n = 0; n < 4; n += 1) made.stream.send(event('x'.repeat(64 * 1024)))
    expect(made.drops).toEqual([])
    made.stream.send(event('x'))
    expect(made.drops).toEqual([5])
  })

  it('drops the client that leaves no room for two heartbeats [K69]', () => {
    const made = setUp()
    fill(made)
    made.stream.beat()
    expect(made.drops).toEqual([])
    made.res.room = true
    made.res.emit('drain')
    made.stream.beat()
    expect(made.res.written).toEqual(['first', ':\n\n'])
    fill(made)
    made.stream.beat()
    made.stream.beat()
    expect(made.drops).toEqual([0])
  })

  it('ends after what waits', () => {
    const made = setUp()
    fill(made)
    made.stream.send(event('last', 'complete'))
    made.stream.end()
    made.stream.send(event('late'))
    expect(made.res.ended).toBe(false)
    made.res.emit('drain')
    expect(made.res.written).toEqual(['first', 'last'])
    expect(made.res.ended).toBe(true)
  })

  it('drops the client that does not take the end [K69]', () => {
    for (const full of [true, false]) {
      const made = setUp()
      if (full) fill(made)
      made.stream.end()
      made.stream.beat()
      expect(made.drops).toEqual([])
      made.stream.beat()
      expect(made.res.destroyed).toBe(true)
    }
  })

  it('cuts the connection of a response that has not had its turn on it', () => {
    const res = new FakeResponse()
    let cut = false
    Object.assign(res, { socket: null, req: { socket: { destroy: () => (cut = true) } } })
    new EventStream(res as unknown as Response, { maxPendingEvents: 1, onDropped() {} }).drop()
    expect(cut).toBe(true)
  })
})
