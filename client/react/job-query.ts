import type { QueryClient, UseQueryOptions } from '@tanstack/react-query'
import { type ActiveJob, isJobCancelledError, isJobFailedError, type JobProgress, type JobState } from '../index.ts'
import type { JobClient } from './provider.ts'

/** A job that is active, as far as its events tell. */
type ActiveSnapshot = Pick<ActiveJob, 'jobId' | 'status' | 'version' | 'lastUpdatedAt' | 'percentComplete'>

/** What is known of a job. Plain JSON, so that a cache that is persisted or sent by a server can hold it. */
export type JobSnapshot = ActiveSnapshot | JobState

/** Where the query cache keeps what is known of a job. */
export type JobQueryKey = readonly ['async-jobs', jobId: string]

/** The key of a job in the query cache, for `invalidateQueries`, `removeQueries` and the like. */
export function jobQueryKey(jobId: string): JobQueryKey {
  return ['async-jobs', jobId]
}

/** Keeps the newer of two: an answer may overtake an event. */
export function remember(queryClient: QueryClient, snapshot: JobSnapshot): void {
  queryClient.setQueryData<JobSnapshot>(jobQueryKey(snapshot.jobId), (known) =>
    known && known.version > snapshot.version ? known : snapshot,
  )
}

function isActive({ status }: JobSnapshot): boolean {
  return status === 'PENDING' || status === 'PROCESSING'
}

export interface JobQueryParts {
  readonly client: JobClient
  readonly queryClient: QueryClient
}

type JobQuery = UseQueryOptions<JobSnapshot, Error, JobSnapshot, JobQueryKey>

/**
 * A query that lasts as long as the job: it is fetching while it waits, its data is the newest state, and it ends with
 * the job. All components that show a job share it, and with it one wait, which ends when the last of them goes.
 *
 * The defaults that an application has for its own queries are out of place here: the client repeats requests by itself,
 * and a job that has ended changes no more.
 */
export function jobQuery(jobId: string | undefined, { client, queryClient }: JobQueryParts): JobQuery {
  const id = jobId ?? ''
  return {
    queryKey: jobQueryKey(id),
    enabled: jobId !== undefined,
    queryFn: async ({ signal }) => {
      const onProgress = (progress: JobProgress): void => {
        if (!signal.aborted) remember(queryClient, { jobId: id, ...progress } as ActiveSnapshot)
      }
      try {
        return await client.job(id).waitForCompletion({ signal, onProgress })
      } catch (error) {
        // How the job ended is what was asked for; that the wait failed is not.
        if (isJobFailedError(error) || isJobCancelledError(error)) return error.job
        throw error
      }
    },
    // A wait that failed is taken up again when the window is focused, the network is back or a component mounts.
    staleTime: ({ state }) => (state.data === undefined || isActive(state.data) ? 0 : Infinity),
    refetchOnMount: true,
    refetchOnWindowFocus: true,
    refetchOnReconnect: true,
    retry: false,
    retryOnMount: true,
    throwOnError: false,
    networkMode: 'always',
    // Which of two states is the newer one is for `version` to say; nothing is gained by comparing them in depth.
    structuralSharing: false,
  }
}
