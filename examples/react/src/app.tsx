import { JobCard } from './job-card.tsx'
import { Summary } from './summary.tsx'
import { useKeptJob } from './use-kept-job.ts'

export function App() {
  const accounts = useKeptJob('accounts')
  const slow = useKeptJob('slow')
  const fails = useKeptJob('fails')
  const jobs = [accounts, slow, fails]
  const running = jobs.filter((job) => job.isActive).length
  return (
    <main>
      <header>
        <div>
          <h1>Month end</h1>
          <p className="quiet">
            Three jobs at once. Reload the page while they run: they go on, and so does what you see.
          </p>
        </div>
        <button className="primary" disabled={running > 0} onClick={() => jobs.forEach((job) => job.submit())}>
          Start all
        </button>
      </header>
      <p role="status" className="quiet">
        {running === 0 ? 'Nothing runs.' : `${running} of ${jobs.length} jobs running`}
      </p>
      <div className="cards">
        <JobCard job={accounts} title="Rate accounts" text="Rates 50,000 accounts anew, in about seven seconds.">
          <Summary of={accounts.jobId} />
        </JobCard>
        <JobCard job={slow} title="Archive receipts" text="Takes a minute, which is time enough to cancel it.">
          <p>All receipts are archived.</p>
        </JobCard>
        <JobCard job={fails} title="Import statement" text="Finds a line that it cannot read, and says which.">
          <p>The statement is imported.</p>
        </JobCard>
      </div>
    </main>
  )
}
