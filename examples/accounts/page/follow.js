import { isHttpError, isJobNotFoundError, isNetworkError } from 'async-jobs/client'

/** The client tries for about a minute by itself. Someone who leaves the page open wants it to go on after that. */
const againAfterMs = 5_000

/** Shows each event of a job on its card, up to the last one, whatever becomes of the server meanwhile. */
export async function follow({ job, card, type, say, signal }) {
  while (!signal.aborted) {
    try {
      for await (const event of job.events({ signal })) card.show(event)
      say(`${type}: ${card.outcome}`)
      if (type === 'accounts' && card.status === 'COMPLETED') await showSummary(card)
      return
    } catch (error) {
      if (signal.aborted) return
      if (!mayPass(error)) {
        card.giveUp(isJobNotFoundError(error) ? 'The server knows no such job any more.' : error.message)
        say(`${type}: ${card.outcome}`)
        return
      }
      await new Promise((resolve) => setTimeout(resolve, againAfterMs))
    }
  }
}

function mayPass(error) {
  return isNetworkError(error) || (isHttpError(error) && (error.status >= 500 || error.status === 429))
}

/** A job says that the work is done, and the application's own endpoint what came of it. */
async function showSummary(card) {
  try {
    const response = await fetch('/accounts/summary')
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    card.showSummary(await response.json())
  } catch (error) {
    card.note(`The summary could not be read: ${error.message}`)
  }
}
