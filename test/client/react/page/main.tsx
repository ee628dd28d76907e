import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { JobClientProvider } from '../../../../client/react/index.ts'
import { client } from './kit.ts'
import { Kept, Panel } from './panel.tsx'

// The defaults that applications have for their own queries must not reach into ours.
const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: 3, staleTime: 60_000, throwOnError: true, refetchOnMount: false } },
})

function fail(): never {
  throw new Error('no room to keep the id')
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <JobClientProvider client={client}>
        <Panel name="own" />
        <Panel name="strange" type="unheard-of" />
        <Panel name="careless" onSubmitted={fail} />
        <Kept />
      </JobClientProvider>
    </QueryClientProvider>
  </StrictMode>,
)
