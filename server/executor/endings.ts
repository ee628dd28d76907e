import { ProblemError } from '../errors.ts'
import type { ClaimRequest, CycleResult, Ending, Store } from '../store/port.ts'

/**
 * Stores endings and claims. When the database refuses the statement as a whole for what one ending carries, the
 * endings are stored one by one, so that a bad one fails alone: it becomes a failure that carries nothing.
 */
export async function storeEndings(
  store: Pick<Store, 'cycle'>,
  endings: readonly Ending[],
  claim: ClaimRequest | undefined,
): Promise<CycleResult> {
  try {
    return await store.cycle(endings, claim)
  } catch (error) {
    if (error instanceof ProblemError || endings.length === 0) throw error
    const results: CycleResult[] = []
    for (const ending of endings) results.push(await storeOne(store, ending))
    return { ended: new Map(results.flatMap(({ ended }) => [...ended])), claimed: [] }
  }
}

async function storeOne(store: Pick<Store, 'cycle'>, ending: Ending): Promise<CycleResult> {
  try {
    return await store.cycle([ending], undefined)
  } catch (error) {
    if (error instanceof ProblemError) throw error
    const failure = { code: 'invalid-output', title: 'What the job gave out cannot be stored' }
    return store.cycle(
      [{ ...ending, status: 'FAILED', failure, output: null, delayMs: null, unspent: false }],
      undefined,
    )
  }
}
