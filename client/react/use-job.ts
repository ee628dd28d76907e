'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import {
  type AcceptedJob,
  type CancelledJob,
  type CompletedJob,
  isHttpError,
  JobFailedError,
  type JobFailure,
  type JobHandle,
  type JobStatus,
  type SubmitOptions,
} from '../index.ts'
import { type JobQueryParts, jobQuery, type JobSnapshot, remember } from './job-query.ts'
import { type JobClient, useJobClient } from './provider.ts'
import { type Submission, useSubmission } from './use-submission.ts'

export interface UseJobOptions {
  /**
   * The job to show until another is submitted here, such as one that was kept from before a reload. When it becomes
   * another job, or none, that is shown from then on.
   */
  readonly jobId?: string | null | undefined
  /** Called when a submit was accepted, also after the component has gone: the place to keep the job's id. */
  readonly onSubmitted?: ((job: AcceptedJob) => void) | undefined
  /** The client to use instead of the one of the JobClientProvider. */
  readonly client?: JobClient | undefined
}

/**
 * In capitals what the job is in. In small letters what this hook is in: `idle` (no job), `submitting`, `loading` (there
 * is a job; nothing is known of it yet), `error` (the submit or the wait failed; `error` says why).
 */
export type UseJobStatus = 'idle' | 'submitting' | 'loading' | 'error' | JobStatus

/**
 * @typeParam Output what a COMPLETED job gives.
 * @typeParam Arguments what `submit` takes.
 */
export interface UseJobResult<Output = unknown, Arguments extends unknown[] = [options?: SubmitOptions]> {
  /** The job that is shown; undefined until a submit is accepted. */
  readonly jobId: string | undefined
  readonly status: UseJobStatus
  /** Whether there is anything to wait for: `submitting`, `loading`, `PENDING` or `PROCESSING`. */
  readonly isActive: boolean
  /** 0 to 100, or null while nothing is known. */
  readonly percentComplete: number | null
  /** The output of a COMPLETED job, where its type declares one. */
  readonly output: CompletedJob<Output>['output'] | undefined
  /** Why the job is FAILED. */
  readonly failure: JobFailure | undefined
  /**
   * A JobFailedError of a FAILED job; else the typed error of what failed last: the submit, the cancelling or the wait.
   * A CANCELLED job is no error.
   */
  readonly error: Error | null
  /** Submits a job and shows it. A job that was shown before goes on; cancel it first if it should not. */
  readonly submit: (...options: Arguments) => void
  /** Cancels the job that is shown; one that is being submitted, as soon as it is accepted. */
  readonly cancel: () => void
  /** Whether a cancel is under way. */
  readonly isCancelling: boolean
  /** Waits anew, after an error that ended the wait. */
  readonly retry: () => void
  /** Shows no submitted job any more. It goes on. */
  readonly reset: () => void
}

/**
 * One job of a type: submits it, follows it, cancels it. All components that show the same job share one wait. It ends
 * when the last of them unmounts, while the job goes on.
 */
export function useJob(type: string, options: UseJobOptions = {}): UseJobResult {
  const client = useJobClient(options.client)
  const queryClient = useQueryClient()
  const { onSubmitted } = options
  const submission = useSubmission({ client, type, jobId: options.jobId ?? undefined, onSubmitted })
  const { submit, jobId } = submission
  const { data, error, isFetching, refetch } = useQuery(jobQuery(jobId, { client, queryClient }))
  const cancellation = useCancellation(submission, { client, queryClient })
  const failed = useMemo(() => (data?.status === 'FAILED' ? new JobFailedError(data) : null), [data])
  const waitError = isFetching || failed ? null : error
  const status = statusOf(submission, data, waitError)
  const retry = useCallback(() => void refetch(), [refetch])
  const { reset: forgetSubmission } = submission
  const { reset: forgetCancellation } = cancellation
  const reset = useCallback(() => {
    forgetSubmission()
    forgetCancellation()
  }, [forgetSubmission, forgetCancellation])
  return {
    jobId,
    status,
    isActive: status === 'submitting' || status === 'loading' || status === 'PENDING' || status === 'PROCESSING',
    percentComplete: data?.percentComplete ?? null,
    output: data?.status === 'COMPLETED' && 'output' in data ? data.output : undefined,
    failure: failed?.failure,
    error: failed ?? submission.error ?? cancellation.error ?? waitError,
    submit,
    cancel: cancellation.cancel,
    isCancelling: cancellation.isPending,
    retry,
    reset,
  }
}

function statusOf(submission: Submission, data: JobSnapshot | undefined, waitError: Error | null): UseJobStatus {
  if (submission.isPending) return 'submitting'
  if (submission.error) return 'error'
  if (submission.jobId === undefined) return 'idle'
  const ended = data !== undefined && data.status !== 'PENDING' && data.status !== 'PROCESSING'
  if (waitError && !ended) return 'error'
  return data?.status ?? 'loading'
}

interface Cancellation {
  readonly cancel: () => void
  readonly reset: () => void
  readonly isPending: boolean
  readonly error: Error | null
}

interface Cancelling {
  readonly handle: JobHandle
  /** What was shown then: a submit, or the id of a job. */
  readonly subject: unknown
}

/** Cancels what a submission shows, and forgets how that went once something else is shown. */
function useCancellation({ handle, jobId }: Submission, { client, queryClient }: JobQueryParts): Cancellation {
  const { mutate, reset, variables, isPending, error } = useMutation<void, Error, Cancelling>({
    mutationFn: async ({ handle }) => {
      try {
        remember(queryClient, (await handle.cancel()) as CancelledJob)
      } catch (error) {
        // It has ended by itself meanwhile, and the wait tells how.
        if (!isHttpError(error) || error.problem?.code !== 'job-already-ended') throw error
      }
    },
    retry: false,
    throwOnError: false,
    networkMode: 'always',
  })
  const subject = handle ?? jobId
  const cancel = useCallback(() => {
    if (handle) mutate({ handle, subject })
    else if (jobId !== undefined) mutate({ handle: client.job(jobId), subject })
  }, [handle, jobId, subject, client, mutate])
  if (variables?.subject !== subject) return { cancel, reset, isPending: false, error: null }
  return { cancel, reset, isPending, error }
}
