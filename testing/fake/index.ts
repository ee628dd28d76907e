export { JobFailureError } from '../../server/handler.ts'
export type { FakeJob, FakeJobListener } from './fake-job.ts'
export { createFakeServer, type FakeServer, type FakeServerOptions } from './fake-server.ts'
export type { FakeHandler, FakeTypes } from './job-table.ts'
