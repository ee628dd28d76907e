import type { Request } from 'express'
import { ProblemError } from '../errors.ts'
import type { Job } from '../job.ts'
import type { ReadJob } from '../jobs/status.ts'

/** What a caller asks for: submitJob and submitJobs, getJobStatus, streamJobEvents, cancelJob. */
export type Action = 'submit' | 'read' | 'watch' | 'cancel'

/** What an action is about: the type, and the job where there is one already. */
export interface Subject {
  readonly type: string
  readonly job?: Job
}

/** How the application says who calls and what they may do. Its own middleware has authenticated them before. */
export interface AccessHooks {
  /** Whose jobs the caller sees and makes; jobs of others answer 404. Default: one tenant for all. */
  readonly tenantOf?: (req: Request) => string | Promise<string>
  /**
   * Whether the caller may do this. On false a submit answers 403, and a job answers 404, as if it were not there.
   * Default: everything within the tenant.
   */
  readonly authorize?: (req: Request, action: Action, subject: Subject) => boolean | Promise<boolean>
  /** Who calls, to bound the streams of one caller. Default: the tenant and the address. */
  readonly callerOf?: (req: Request) => string | Promise<string>
}

/** Asks the hooks. */
export class Access {
  readonly #hooks: AccessHooks
  readonly #read: ReadJob

  constructor(hooks: AccessHooks, read: ReadJob) {
    this.#hooks = hooks
    this.#read = read
  }

  /** Undefined where the application knows no tenants. */
  async tenant(req: Request): Promise<string | undefined> {
    return this.#hooks.tenantOf?.(req)
  }

  async caller(req: Request): Promise<string> {
    if (this.#hooks.callerOf !== undefined) return this.#hooks.callerOf(req)
    return `${(await this.tenant(req)) ?? ''} ${req.ip ?? ''}`
  }

  /** @returns the tenant of a submit. Rejects with `not-authorized`. */
  async submit(req: Request, type: string): Promise<string | undefined> {
    const tenant = await this.tenant(req)
    if (!(await this.maySubmit(req, type))) throw new ProblemError('not-authorized')
    return tenant
  }

  /** Whether the caller may submit jobs of the type. */
  async maySubmit(req: Request, type: string): Promise<boolean> {
    return (await this.#hooks.authorize?.(req, 'submit', { type })) !== false
  }

  /** Reads a job for an action. Rejects with `job-not-found` also where the caller may not. */
  async job(req: Request, action: Exclude<Action, 'submit'>, id: string): Promise<Job> {
    return this.#job(req, action, { id, tenant: await this.tenant(req) })
  }

  /** Reads jobs for an action, each undefined where there is none that the caller may see. */
  async jobs(req: Request, action: Exclude<Action, 'submit'>, ids: readonly string[]): Promise<(Job | undefined)[]> {
    const tenant = await this.tenant(req)
    return Promise.all(
      ids.map((id) =>
        this.#job(req, action, { id, tenant }).catch((error: unknown) => {
          if (error instanceof ProblemError && error.code === 'job-not-found') return undefined
          throw error
        }),
      ),
    )
  }

  async #job(
    req: Request,
    action: Exclude<Action, 'submit'>,
    { id, tenant }: { id: string; tenant: string | undefined },
  ): Promise<Job> {
    const job = await this.#read(id, tenant === undefined ? {} : { tenant })
    const { authorize } = this.#hooks
    if (authorize !== undefined && !(await authorize(req, action, { type: job.type, job }))) {
      throw new ProblemError('job-not-found')
    }
    return job
  }

  /** Whether a job must be read before the caller may do something with it. */
  get asksPerJob(): boolean {
    return this.#hooks.authorize !== undefined
  }
}
