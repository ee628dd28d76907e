export { type Client, type ClientOptions, createClient } from './client.ts'
export {
  AsyncJobsError,
  HttpError,
  InvalidArgumentError,
  isAsyncJobsError,
  isHttpError,
  isInvalidArgumentError,
  isJobCancelledError,
  isJobFailedError,
  isJobNotFoundError,
  isNetworkError,
  isWaitTimeoutError,
  JobCancelledError,
  JobFailedError,
  JobNotFoundError,
  NetworkError,
  type RequestLine,
  WaitTimeoutError,
} from './errors.ts'
export type { Http } from './http.ts'
export type { JobHandle, JobReference, RequestOptions, SubmittedJob } from './job-handle.ts'
export type {
  AcceptedJob,
  ActiveJob,
  CancelledJob,
  CompletedJob,
  FailedJob,
  Job,
  JobEvent,
  JobFailure,
  JobState,
  JobStatus,
  Problem,
} from './job-state.ts'
export type { JobsOf } from './job-types.ts'
export type { SubmitArguments, SubmitOptions } from './submission.ts'
export type { EventOptions, JobProgress, WaitOptions } from './wait.ts'
