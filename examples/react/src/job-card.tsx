import type { UseJobResult, UseJobStatus } from 'async-jobs/react'
import { type ReactNode, useId } from 'react'

interface JobCardProps {
  readonly job: UseJobResult
  readonly title: string
  readonly text: string
  /** What there is to see once the job is COMPLETED. */
  readonly children: ReactNode
}

const words: Record<UseJobStatus, string> = {
  idle: 'Not started',
  submitting: 'Submitting',
  loading: 'Looking',
  error: 'No answer',
  PENDING: 'Waiting',
  PROCESSING: 'Running',
  COMPLETED: 'Done',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
}

export function JobCard({ job, title, text, children }: JobCardProps) {
  const heading = useId()
  return (
    <section className="card" aria-labelledby={heading}>
      <div className="head">
        <h2 id={heading}>{title}</h2>
        <span role="status" className={`badge ${job.status.toLowerCase()}`}>
          {words[job.status]}
        </span>
      </div>
      <p className="quiet">{text}</p>
      <Percent job={job} label={heading} />
      {job.status === 'COMPLETED' && children}
      <Fault job={job} />
      <div className="buttons">
        <button className="primary" disabled={job.isActive} onClick={() => job.submit()}>
          {job.status === 'idle' ? 'Start' : 'Start again'}
        </button>
        {job.isActive && (
          <button disabled={job.isCancelling} onClick={job.cancel}>
            {job.isCancelling ? 'Cancelling' : 'Cancel'}
          </button>
        )}
        {job.status === 'error' && job.jobId !== undefined && <button onClick={job.retry}>Try again</button>}
      </div>
    </section>
  )
}

/** Nothing said to assistive technology at each step: a progress element can be asked for its value. */
function Percent({ job, label }: { readonly job: UseJobResult; readonly label: string }) {
  const { percentComplete, isActive } = job
  const known = percentComplete ?? (isActive ? undefined : 0)
  return (
    <div className="percent">
      <progress aria-labelledby={label} max={100} {...(known !== undefined && { value: known })} />
      <span aria-hidden="true">{percentComplete === null ? '–' : `${percentComplete} %`}</span>
    </div>
  )
}

function Fault({ job }: { readonly job: UseJobResult }) {
  const { failure, error } = job
  if (!error) return null
  return (
    <div role="alert" className="fault">
      <strong>{failure?.title ?? 'The service does not answer as it should'}</strong>
      <p>{failure ? failure.detail : error.message}</p>
    </div>
  )
}
