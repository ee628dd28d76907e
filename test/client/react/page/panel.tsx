import { useState } from 'react'
import { useJob, type UseJobOptions } from '../../../../client/react/index.ts'

interface PanelProps extends UseJobOptions {
  readonly name: string
  readonly type?: string
}

/** All that the hook says of one job, for a test to read, and all that it can be told to do. */
export function Panel({ name, type = 'accounts', ...options }: PanelProps) {
  const job = useJob(type, options)
  const error = job.error as { name: string; problem?: { code: string } } | null
  const shown = {
    jobId: job.jobId ?? null,
    status: job.status,
    isActive: job.isActive,
    percentComplete: job.percentComplete,
    output: job.output ?? null,
    failure: job.failure?.code ?? null,
    error: error?.name ?? null,
    isCancelling: job.isCancelling,
  }
  return (
    <section aria-label={name}>
      <output>{JSON.stringify(shown)}</output>
      <button onClick={() => job.submit({ input: { from: name } })}>Submit</button>
      <button onClick={job.cancel}>Cancel</button>
      <button onClick={job.retry}>Retry</button>
      <button onClick={job.reset}>Reset</button>
    </section>
  )
}

/** A panel that keeps the id of its job, as a page keeps it in its URL, and another of the same job beside it. */
export function Kept() {
  const [jobId, setJobId] = useState<string | null>(null)
  const [mounted, setMounted] = useState(true)
  const [copied, setCopied] = useState(false)
  const toggles = { mounted: () => setMounted(!mounted), copied: () => setCopied(!copied) }
  return (
    <>
      <button onClick={toggles.mounted}>Mount</button>
      <button onClick={toggles.copied}>Copy</button>
      <button onClick={() => setJobId(null)}>Clear</button>
      <input aria-label="Job" value={jobId ?? ''} onChange={({ target }) => setJobId(target.value)} />
      {mounted && <Panel name="kept" jobId={jobId} onSubmitted={(job) => setJobId(job.jobId)} />}
      {copied && <Panel name="copy" jobId={jobId} />}
    </>
  )
}
