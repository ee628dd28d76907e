export { createUseJob, type UseJob } from './create-use-job.ts'
export { type JobQueryKey, jobQueryKey, type JobSnapshot } from './job-query.ts'
export { type JobClient, JobClientProvider, type JobClientProviderProps } from './provider.ts'
export { useJob, type UseJobOptions, type UseJobResult, type UseJobStatus } from './use-job.ts'
