import { type AnyHandler, defineHandler, JobFailureError } from 'async-jobs/server'

/** Who speaks to whom. */
export interface Addresses {
  /** Where the worker listens. */
  readonly workerUrl: string
  /** Where the worker reaches the jobs of this API, with the mount path: `http://localhost:3000/jobs`. */
  readonly jobsUrl: string
}

/** How long the worker may take to say that it has the job, in milliseconds. */
const handOverMs = 5_000

/** A type whose work is done elsewhere: `start` hands it over, and the worker reports how it goes and ends. */
export function transcode(addresses: Addresses): AnyHandler {
  return defineHandler<{ text: string; encoding: string }>({
    type: 'transcode',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['text', 'encoding'],
      properties: { text: { type: 'string' }, encoding: { enum: ['ascii', 'latin-1', 'utf-8', 'utf-16-le'] } },
    },
    outputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['bytes', 'sha256'],
      properties: { bytes: { type: 'integer' }, sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
    },
    start: async ({ jobId, reportToken, input }) => {
      const status = await handOver(addresses, { jobId, reportToken, input })
      if (status === 202) return
      throw new JobFailureError({
        code: 'worker-refused',
        title: 'The transcoding worker did not take the job',
        detail: `It answered ${status}.`,
      })
    },
  })
}

async function handOver({ workerUrl, jobsUrl }: Addresses, message: object): Promise<number> {
  try {
    const response = await fetch(`${workerUrl}/work`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jobsUrl, ...message }),
      signal: AbortSignal.timeout(handOverMs),
    })
    await response.body?.cancel()
    return response.status
  } catch (cause) {
    // Should it have taken the job all the same, then its first report is refused, and it stops.
    throw new JobFailureError({
      code: 'worker-unreachable',
      title: 'The transcoding worker cannot be reached',
      detail: 'Nothing was done. Submit again once it runs.',
      cause,
    })
  }
}
