export { defineApplication, type Application } from './application.ts'
export type { AsyncJobs } from './assembly.ts'
export { createAsyncJobs, type AsyncJobsOptions } from './service.ts'
export type { Settings } from './config/settings.ts'
export type { IsoDuration } from './duration.ts'
export {
  ConfigurationError,
  ProblemError,
  problems,
  type ProblemCode,
  type ProblemDetails,
  type RequestError,
} from './errors.ts'
export {
  AttemptAborted,
  AttemptSupersededError,
  defineHandler,
  JobFailureError,
  type AbortReason,
  type AnyHandler,
  type FireAndForgetHandler,
  type Handler,
  type HandlerContext,
  type JobReporter,
  type JsonSchema,
  type RetryOptions,
  type StartContext,
  type Transaction,
} from './handler.ts'
export type { Job, JobFailure, JobState, JobStatus, SubmitOutcome } from './job.ts'
export type { Cancel } from './jobs/cancel.ts'
export type { Freshness, FreshnessQuery } from './jobs/reuse.ts'
export type { ReadJob, TenantScope } from './jobs/status.ts'
export type { AccessHooks, Action, Subject } from './http/access.ts'
export type { Policy } from './http/policy.ts'
export type { Submit, SubmitRequest } from './jobs/submit.ts'
export type { ManyAnswer, ManySubmit, SubmitMany } from './jobs/submit-many.ts'
export { jsonLinesLogger } from './log.ts'
export type { Hint, Store, Submission, WakeUps } from './store/port.ts'
export type { EventName, Logger, OperationalEvents, Subscriber } from './telemetry.ts'
