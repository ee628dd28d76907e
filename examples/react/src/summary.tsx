import { useQuery } from '@tanstack/react-query'

interface AccountsSummary {
  readonly total: number
  readonly ratings: Readonly<Record<'A' | 'B' | 'C', number>>
}

async function readSummary(): Promise<AccountsSummary> {
  const response = await fetch('/api/accounts/summary')
  if (!response.ok) throw new Error(`the summary answered ${response.status}`)
  return (await response.json()) as AccountsSummary
}

/** What the job has left in the application's own data. The job's id in the key has it read anew after each job. */
export function Summary({ of }: { readonly of: string | undefined }) {
  const { data, isError } = useQuery({ queryKey: ['accounts-summary', of], queryFn: readSummary })
  if (isError) return <p role="alert">The summary cannot be read now.</p>
  if (!data) return <p className="quiet">Reading the summary…</p>
  return (
    <dl className="summary">
      {Object.entries(data.ratings).map(([rating, count]) => (
        <div key={rating}>
          <dt>Rated {rating}</dt>
          <dd>{count.toLocaleString('en')}</dd>
        </div>
      ))}
    </dl>
  )
}
