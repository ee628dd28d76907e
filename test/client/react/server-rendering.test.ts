import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.ts'
import { JobClientProvider, jobQueryKey, type JobSnapshot, useJob } from '../../../client/react/index.ts'

const jobId = '018f2c5e-7b1a-7c3d-9e4f-0123456789ab'

function Shown({ jobId }: { readonly jobId?: string }): ReactNode {
  const { status, percentComplete } = useJob('accounts', { jobId })
  return `${status} ${percentComplete}`
}

it('renders on a server what is known of a job, and sends no request there', () => {
  let requests = 0
  const fetch = async (): Promise<Response> => {
    requests += 1
    throw new TypeError('a server that renders asks for nothing')
  }
  const client = createClient({ baseUrl: 'http://test', fetch })
  const queryClient = new QueryClient()
  const render = (props: Parameters<typeof Shown>[0]): string => {
    const children = createElement(JobClientProvider, { client }, createElement(Shown, props))
    return renderToString(createElement(QueryClientProvider, { client: queryClient }, children))
  }
  expect(render({})).toBe('idle null')
  expect(render({ jobId })).toBe('loading null')
  const snapshot: JobSnapshot = {
    jobId,
    status: 'PROCESSING',
    version: 3,
    lastUpdatedAt: '2026-01-02T03:04:05.678Z',
    percentComplete: 40,
  }
  queryClient.setQueryData(jobQueryKey(jobId), snapshot)
  expect(render({ jobId })).toBe('PROCESSING 40')
  expect(requests).toBe(0)
  queryClient.clear()
})
