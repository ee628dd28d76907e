import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createClient } from 'async-jobs/client'
import { JobClientProvider } from 'async-jobs/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './style.css'

const client = createClient({ baseUrl: '/api' })
const queryClient = new QueryClient()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <JobClientProvider client={client}>
        <App />
      </JobClientProvider>
    </QueryClientProvider>
  </StrictMode>,
)
