import { createClient, isHttpError } from 'async-jobs/client'
import { Card } from './card.js'
import { follow } from './follow.js'
import { forget, remember, remembered } from './remembered.js'

const find = (id) => document.getElementById(id)

/** The client reconnects by itself; that it has to is seen by its requests alone. */
const client = createClient({
  baseUrl: location.origin,
  fetch: async (request) => {
    try {
      const response = await fetch(request)
      find('connection').textContent = ''
      return response
    } catch (error) {
      if (!request.signal.aborted) find('connection').textContent = 'The server does not answer. Reconnecting …'
      throw error
    }
  },
})

function say(text) {
  find('news').textContent = text
}

/** Shows a job, newest first, and follows it to its end. */
function show(job, { jobId, type, note }) {
  const following = new AbortController()
  const card = new Card({ jobId, type, note })
  card.onCancel = () => job.cancel()
  card.onRemove = () => {
    following.abort()
    forget(jobId)
    find('jobs-title').focus()
  }
  find('jobs').prepend(card.element)
  void follow({ job, card, type, say, signal: following.signal })
}

/** Why a submit was refused, in words. */
function wordsOf(error) {
  const problem = isHttpError(error) ? error.problem : undefined
  if (problem) return problem.detail ? `${problem.title}: ${problem.detail}` : problem.title
  return `Not submitted: ${error instanceof Error ? error.message : String(error)}`
}

async function submit(type) {
  find('refusal').textContent = ''
  const job = client.submit(type)
  try {
    const { jobId } = await job
    remember({ jobId, type })
    show(job, { jobId, type })
    say(`${type} accepted`)
  } catch (error) {
    find('refusal').textContent = wordsOf(error)
  }
}

find('form').addEventListener('submit', (event) => {
  event.preventDefault()
  void submit(new FormData(event.target).get('type'))
})

for (const { jobId, type } of remembered()) {
  show(client.job(jobId), { jobId, type, note: 'Resumed: the stream begins with the state as it is now.' })
}
