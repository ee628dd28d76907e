import { useMutation } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { AcceptedJob, SubmitOptions, SubmittedJob } from '../index.ts'
import type { JobClient } from './provider.ts'

export interface SubmissionOptions {
  readonly client: JobClient
  readonly type: string
  /** The job that the component asks for; another one puts what was submitted before out of sight. */
  readonly jobId: string | undefined
  readonly onSubmitted: ((job: AcceptedJob) => void) | undefined
}

interface Variables {
  readonly handle: SubmittedJob
  readonly generation: number
}

/** The newest submit of a component, as far as the job that it shows comes from it. */
export interface Submission {
  readonly submit: (options?: SubmitOptions) => void
  readonly reset: () => void
  /** The handle of the newest submit, while that is what is shown. */
  readonly handle: SubmittedJob | undefined
  readonly isPending: boolean
  readonly error: Error | null
  /** The job to show: the submitted one, else the one that is asked for. */
  readonly jobId: string | undefined
}

/** Submits; of several submits the last one counts, whatever the order of their answers. */
export function useSubmission({ client, type, jobId, onSubmitted }: SubmissionOptions): Submission {
  const generation = useGeneration(jobId)
  const newest = useRef<SubmittedJob>(undefined)
  const { mutate, reset, variables, data, error, isPending } = useMutation<AcceptedJob, Error, Variables>({
    mutationFn: async ({ handle }) => handle,
    onSuccess: (job, { handle }) => {
      if (newest.current !== handle || !onSubmitted) return
      // On its own, because the submit is accepted whatever the callback throws.
      setTimeout(() => onSubmitted(job))
    },
    retry: false,
    throwOnError: false,
    networkMode: 'always',
  })
  const submit = useCallback(
    (options?: SubmitOptions) => {
      const handle = client.submit(type, options)
      newest.current = handle
      mutate({ handle, generation })
    },
    [client, type, generation, mutate],
  )
  const forget = useCallback(() => {
    newest.current = undefined
    reset()
  }, [reset])
  const isShown = variables?.generation === generation || (data !== undefined && data.jobId === jobId)
  if (!isShown) return { submit, reset: forget, handle: undefined, isPending: false, error: null, jobId }
  return { submit, reset: forget, handle: variables?.handle, isPending, error, jobId: data?.jobId }
}

/** Grows each time that the component asks for another job. */
function useGeneration(jobId: string | undefined): number {
  const [asked, setAsked] = useState({ jobId, generation: 0 })
  if (asked.jobId === jobId) return asked.generation
  const next = { jobId, generation: asked.generation + 1 }
  setAsked(next)
  return next.generation
}
