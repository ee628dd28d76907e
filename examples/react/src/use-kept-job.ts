import { useJob, type UseJobResult } from 'async-jobs/react'
import { useState } from 'react'

/** A job whose id is kept in the page's URL, so that it goes on after a reload, and in whoever is sent the link. */
export function useKeptJob(type: string): UseJobResult {
  const [jobId, setJobId] = useState(() => new URLSearchParams(location.search).get(type))
  return useJob(type, {
    jobId,
    onSubmitted: (job) => {
      const url = new URL(location.href)
      url.searchParams.set(type, job.jobId)
      history.replaceState(null, '', url)
      setJobId(job.jobId)
    },
  })
}
