import { describe, expect, it } from 'vitest'
import { jsonLinesLogger, logEvents } from '../../server/log.ts'

function setUp() {
  const written: string[] = []
  const logger = jsonLinesLogger((line) => written.push(line), 'debug')
  return { written, logger, tell: logEvents(logger) }
}

/** The record of the one line that was written; a line break or a control character in it would be a forgery. */
function onlyRecord(written: readonly string[]): Record<string, unknown> {
  expect(written).toHaveLength(1)
  const [line = ''] = written
  expect(line.endsWith('\n')).toBe(true)
  // oxlint-disable-next-line no-control-regex
  expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
  return JSON.parse(line) as Record<string, unknown>
}

const forgeries = [
  'x\n{"level":"error","message":"forged"}',
  '%0A{"level":"x"}',
  '\r\n\r\n',
  '\u001b[31mred\u001b[0m',
  '\u0000\u0007\u0008',
  '\u0085\u2028\u2029\u009b31m',
  '"},{"level":"x',
  '\ud800',
  '\u202emirrored',
]

describe('a log record', () => {
  it.each(forgeries)('is one line of valid JSON, whatever the type of a job says: %j [K97]', (type) => {
    const { written, tell } = setUp()
    tell('job:submitted', { jobId: type, type, outcome: 'created' })
    expect(onlyRecord(written)).toMatchObject({ level: 'debug', event: 'job:submitted', jobId: type, type })
  })

  it.each(forgeries)('is one line of valid JSON, whatever was thrown: %j [K97]', (text) => {
    const { written, tell } = setUp()
    const cause = Object.assign(new Error(text), { code: text })
    const error = Object.assign(new Error(text, { cause }), { name: text })
    tell('attempt:end', { jobId: 'x', type: 'x', attempt: 1, status: 'FAILED', durationMs: 1, error })
    const record = onlyRecord(written)
    expect(record).toMatchObject({ level: 'warn', error: { message: text, cause: { message: text, code: text } } })
  })

  it.each(forgeries)('is one line of valid JSON, whatever a handler logs: %j [K97]', (text) => {
    const { written, logger } = setUp()
    logger.info({ [text]: text }, text)
    expect(onlyRecord(written)).toMatchObject({ level: 'info', message: text, [text]: text })
  })

  it('is written for values that JSON does not know', () => {
    const { written, logger } = setUp()
    const circle: Record<string, unknown> = { count: 1n, none: undefined, at: new Date(0) }
    circle['self'] = circle
    logger.warn(circle, 'odd')
    expect(onlyRecord(written)).toMatchObject({ message: 'odd', count: '1', at: '1970-01-01T00:00:00.000Z' })
  })

  it('says its level and its message, though a field has the same name [K97]', () => {
    const { written, logger } = setUp()
    logger.error({ level: 'debug', message: 'forged', time: 'never' }, 'true')
    const record = onlyRecord(written)
    expect(record).toMatchObject({ level: 'error', message: 'true' })
    expect(record['time']).not.toBe('never')
  })

  it('is written for a value whose toJSON throws', () => {
    const { written, logger } = setUp()
    const bad = {
      toJSON() {
        throw new Error('no')
      },
    }
    expect(() => logger.error({ bad }, 'still there')).not.toThrow()
    expect(onlyRecord(written)).toMatchObject({ level: 'error', message: 'still there' })
  })

  it('below the least level is not written', () => {
    const written: string[] = []
    const logger = jsonLinesLogger((line) => written.push(line))
    logger.debug({}, 'quiet')
    logger.info({}, 'loud')
    expect(written).toHaveLength(1)
  })
})
