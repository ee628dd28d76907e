import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { describe, expect, it } from 'vitest'
import { toEvent } from '../../../server/http/job-event.ts'
import type { JobState, JobStatus } from '../../../server/job.ts'
import { checkEvent } from '../../support/contract.ts'

const at = new Date('2026-03-01T12:00:00.123Z')

function state(status: JobStatus, change: Partial<JobState> = {}): JobState {
  const failure = status === 'FAILED' ? { code: 'handler-error', title: 'It failed' } : null
  const id = '01890000-0000-7000-8000-000000000000'
  return { id, status, version: 7, percentComplete: 40, lastUpdatedAt: at, failure, ...change }
}

/** Reads a text as an EventSource would, a character at a time. */
function parse(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  for (const char of text) parser.feed(char)
  return events
}

describe('the event of a state', () => {
  it.each([
    ['PENDING', undefined, 'status'],
    ['PROCESSING', undefined, 'status'],
    ['PROCESSING', 'PENDING', 'status'],
    ['PENDING', 'PROCESSING', 'status'],
    ['PROCESSING', 'PROCESSING', 'progress'],
    ['COMPLETED', 'PROCESSING', 'complete'],
    ['FAILED', 'PROCESSING', 'failed'],
    ['CANCELLED', 'PENDING', 'cancelled'],
    ['COMPLETED', undefined, 'complete'],
  ] as const)('%s after %s is %s, of the form that the document gives it [A30]', (status, before, name) => {
    const event = toEvent(state(status), before === undefined ? undefined : state(before))
    expect(event.name).toBe(name)
    const [parsed, ...more] = parse(event.text)
    expect(more).toEqual([])
    expect(parsed).toMatchObject({ event: name, id: '7' })
    expect(() => checkEvent(parsed as EventSourceMessage)).not.toThrow()
  })

  it('has the persisted instant, and the version as its id [A31 A35]', () => {
    const [active] = parse(toEvent(state('PROCESSING'), undefined).text)
    const told = { jobId: state('PENDING').id, version: 7, lastUpdatedAt: '2026-03-01T12:00:00.123Z' }
    expect(JSON.parse(active?.data ?? '')).toEqual({ ...told, status: 'PROCESSING', percentComplete: 40 })
    const [complete] = parse(toEvent(state('COMPLETED'), undefined).text)
    expect(JSON.parse(complete?.data ?? '')).toEqual(told)
  })

  it.each([
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\nevent: complete\r\ndata: {}\r\n\r\n',
    '\n\nid: 99\nevent: complete\ndata: {}\n\n',
    'a\u2028b\u2029c\u0085d',
    '\u0000\u001b[31m\ufeff',
    '</script>\'"',
    'é漢😀',
  ])('is one event on one line, whatever the failure says: %j [K73]', (words) => {
    const failure = { code: `code${words}`, title: `title${words}`, detail: `detail${words}` }
    const { text } = toEvent(state('FAILED', { failure }), state('PROCESSING'))
    const [parsed, ...more] = parse(text)
    expect(more).toEqual([])
    expect(parsed?.event).toBe('failed')
    expect(parsed?.id).toBe('7')
    expect(text.split('\n')).toHaveLength(5)
    expect(text).not.toContain('\r')
    const { code: failureCode, title, detail } = failure
    expect(JSON.parse(parsed?.data ?? '')).toMatchObject({ failureCode, title, detail })
  })
})
