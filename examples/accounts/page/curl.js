import { text } from './text.js'

/** The requests of a job as lines for a shell, each with a button that copies it. */
export function curlLines({ type, jobId }) {
  const jobs = `${location.origin}/jobs`
  const lines = {
    Submit: `curl -i -X POST ${jobs}/${type}`,
    Events: `curl -N ${jobs}/${jobId}/events`,
    Status: `curl -i ${jobs}/${jobId}/status`,
    Cancel: `curl -i -X DELETE ${jobs}/${jobId}`,
  }
  return Object.entries(lines).map(([name, line]) => {
    const description = document.createElement('dd')
    description.append(text('code', line))
    // Browsers have a clipboard only where the page came over https or from localhost.
    if (navigator.clipboard) description.append(copyButton(name, line))
    const pair = document.createElement('div')
    pair.append(text('dt', name), description)
    return pair
  })
}

function copyButton(name, line) {
  const button = text('button', 'Copy')
  button.type = 'button'
  button.setAttribute('aria-label', `Copy the line for ${name.toLowerCase()}`)
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(line).then(
      () => true,
      () => false,
    )
    button.textContent = copied ? 'Copied' : 'Not copied'
    setTimeout(() => (button.textContent = 'Copy'), 2_000)
  })
  return button
}
