'use client'

import { createContext, createElement, type ReactNode, useContext } from 'react'
import type { JobHandle, SubmitOptions, SubmittedJob } from '../index.ts'

/** What the hooks need of a client; every Client is one. */
export interface JobClient {
  submit(type: string, options?: SubmitOptions): SubmittedJob
  job(jobId: string): JobHandle
}

const JobClientContext = createContext<JobClient | undefined>(undefined)

export interface JobClientProviderProps {
  /** Make it once, outside of any component. */
  readonly client: JobClient
  readonly children?: ReactNode
}

/** Gives the hooks below it their client. They also need the QueryClientProvider of TanStack Query above them. */
export function JobClientProvider({ client, children }: JobClientProviderProps): ReactNode {
  return createElement(JobClientContext.Provider, { value: client }, children)
}

/** The client that is given, else the one of the nearest provider. Throws where there is none. */
export function useJobClient(given: JobClient | undefined): JobClient {
  const client = useContext(JobClientContext)
  const chosen = given ?? client
  if (chosen === undefined) throw new Error('useJob needs a JobClientProvider above it, or the option `client`')
  return chosen
}
