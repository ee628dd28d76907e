import { describe, expect, it } from 'vitest'
import type { JobProgress } from '../../client/index.ts'
import { answer, endedStream, stream } from '../support/scripted-server.ts'
import * as is from './fixtures.ts'

const { clientOf, EVENTS, job, jobId, rejection, serve, STATUS, SUBMIT } = is

describe('a wait', () => {
  it('reports progress from the stream and resolves to the job of the status resource', async () => {
    const frames = [is.snapshot('PENDING', 1), is.progress(40, 2), is.progress(80, 3), is.ending('complete', 4)]
    const final = { ...job('COMPLETED', 4), output: { rows: 3 } }
    const server = await serve({ [EVENTS]: endedStream(...frames), [STATUS]: answer(200, final) })
    const seen: JobProgress[] = []
    const onProgress = (progress: JobProgress): void => void seen.push(progress)
    await expect(clientOf(server).submit('accounts').waitForCompletion({ onProgress })).resolves.toEqual(final)
    expect(seen.map(({ status, percentComplete }) => [status, percentComplete])).toEqual([
      ['PENDING', null],
      ['PROCESSING', 40],
      ['PROCESSING', 80],
    ])
    expect(Object.keys(seen[0]!).sort()).toEqual(['lastUpdatedAt', 'percentComplete', 'status', 'version'])
    expect([SUBMIT, EVENTS, STATUS].map((route) => server.requests(route).length)).toEqual([1, 1, 1])
  })

  it('drops what is older than or the same as what it saw, by version [A35] [A91]', async () => {
    const frames = [is.snapshot('PROCESSING', 5), is.snapshot('PROCESSING', 5), is.progress(10, 4), is.progress(60, 6)]
    const server = await serve({
      [EVENTS]: endedStream(...frames, is.ending('complete', 7)),
      [STATUS]: answer(200, job('COMPLETED', 7)),
    })
    const versions: number[] = []
    await clientOf(server)
      .job(jobId)
      .waitForCompletion({ onProgress: ({ version }) => void versions.push(version) })
    expect(versions).toEqual([5, 6])
  })

  it('rejects with the failure of a FAILED job', async () => {
    const server = await serve({ [EVENTS]: answer(404, 'none'), [STATUS]: answer(422, is.failedProblem(3)) })
    const error = await rejection(clientOf(server).job(jobId).waitForCompletion())
    expect(error).toMatchObject({
      name: 'JobFailedError',
      message: `Job ${jobId} failed: It broke (handler-error)`,
      failure: { code: 'handler-error', title: 'It broke' },
      job: { status: 'FAILED', version: 3 },
    })
  })

  it('rejects as cancelled when the job is CANCELLED', async () => {
    const server = await serve({
      [EVENTS]: endedStream(is.ending('cancelled', 3)),
      [STATUS]: answer(200, job('CANCELLED', 3)),
    })
    const error = await rejection(clientOf(server).job(jobId).waitForCompletion())
    expect(error).toMatchObject({ name: 'JobCancelledError', job: { status: 'CANCELLED' } })
  })

  it('ends with what onProgress throws, and closes its stream', async () => {
    for (const onProgress of [
      () => Promise.reject(new Error('mine')),
      () => {
        throw new Error('mine')
      },
    ]) {
      const server = await serve({ [EVENTS]: stream(is.snapshot('PROCESSING', 2)) })
      await expect(clientOf(server).job(jobId).waitForCompletion({ onProgress })).rejects.toThrow('mine')
      await server.requests(EVENTS)[0]!.closed
    }
  })

  it('settles for each of 1,000 jobs that ended before anybody listened [K89]', async () => {
    const server = await serve()
    const client = clientOf(server)
    const waits = Array.from({ length: 1_000 }, () => client.submit('accounts').waitForCompletion())
    const jobs = await Promise.all(waits)
    expect(jobs.every(({ status }) => status === 'COMPLETED')).toBe(true)
    expect(server.requests(SUBMIT)).toHaveLength(1_000)
  })

  it('opens no more streams at once than it may; the others poll [K93]', async () => {
    let ended = false
    const server = await serve({
      [is.MANY_EVENTS]: answer(404),
      [EVENTS]: stream(is.snapshot('PROCESSING', 2)),
      [STATUS]: (exchange) => answer(200, ended ? job('COMPLETED', 3) : job('PROCESSING', 2))(exchange),
    })
    const client = clientOf(server, { maxStreams: 2, retryAfterMs: 100, heartbeatMs: 400 })
    const waits = Array.from({ length: 6 }, (_, n) => client.job(jobId.slice(0, -1) + n).waitForCompletion())
    await server.arrived(STATUS, 8)
    expect(server.maxOpen(EVENTS)).toBe(2)
    ended = true
    await Promise.all(waits)
  })
})
