import { curlLines } from './curl.js'
import { eventRow } from './event-row.js'
import { text } from './text.js'

const ends = { complete: 'COMPLETED', failed: 'FAILED', cancelled: 'CANCELLED' }
const number = new Intl.NumberFormat()
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** What one job looks like. Everything that comes from outside is set as text, never as markup. */
export class Card {
  onCancel = async () => {}
  onRemove = () => {}
  status = 'PENDING'
  #version = 0
  #count = 0
  #parts = new Map()

  constructor({ jobId, type, note }) {
    const copy = document.getElementById('card').content.cloneNode(true)
    this.element = copy.firstElementChild
    for (const part of copy.querySelectorAll('[data-part]')) this.#parts.set(part.dataset.part, part)
    this.#part('type').textContent = type
    this.#part('id').textContent = jobId
    this.#part('bar').setAttribute('aria-label', `Progress of ${type}`)
    this.#part('scroll').setAttribute('aria-label', `Events of ${type}`)
    this.#part('curl').append(...curlLines({ type, jobId }))
    for (const [name, act] of Object.entries({ cancel: () => this.#cancel(), remove: () => this.#remove() })) {
      this.#part(name).setAttribute('aria-label', `${this.#part(name).textContent} ${type}, ${jobId}`)
      this.#part(name).addEventListener('click', act)
    }
    if (note) this.note(note)
  }

  /** How the job stands, in words. */
  get outcome() {
    const title = this.#part('title').textContent
    return title ? `${this.status.toLowerCase()}, ${title}` : this.status.toLowerCase()
  }

  /** Shows an event. One that was shown already comes again after a reconnect, with the same version. */
  show({ event, data }) {
    if (data.version <= this.#version) return
    this.#version = data.version
    const end = ends[event]
    this.#setStatus(end ?? data.status)
    if (event === 'complete') this.#setPercent(100)
    else if (!end) this.#setPercent(data.percentComplete)
    if (event === 'failed') this.#showFailure(data)
    this.#part('events').prepend(eventRow({ event, data }))
    this.#count += 1
    this.#part('count').textContent = this.#count
    if (end) this.#end()
  }

  /** @param summary what `GET /accounts/summary` answers. */
  showSummary({ total, ratings, evaluatedAt }) {
    const pairs = [
      ['Accounts', number.format(total)],
      ...Object.entries(ratings).map(([rating, count]) => [`Rated ${rating}`, number.format(count)]),
      ['Evaluated', evaluatedAt ? moment.format(new Date(evaluatedAt)) : 'never'],
    ]
    const made = pairs.map(([term, value]) => {
      const pair = document.createElement('div')
      pair.append(text('dt', term), text('dd', value))
      return pair
    })
    this.#part('summary').replaceChildren(...made)
    this.#part('summary').hidden = false
  }

  note(words) {
    this.#part('note').textContent = words
    this.#part('note').hidden = false
  }

  /** The job can't be followed any further. */
  giveUp(words) {
    this.#setStatus('UNKNOWN')
    this.note(words)
    this.#end()
  }

  #part(name) {
    return this.#parts.get(name)
  }

  #setStatus(status) {
    this.status = status
    this.element.dataset.status = status
    this.#part('status').textContent = status
  }

  /** @param percent null where the handler has said nothing yet. */
  #setPercent(percent) {
    const bar = this.#part('bar')
    if (percent === null) bar.removeAttribute('aria-valuenow')
    else bar.setAttribute('aria-valuenow', percent)
    this.#part('fill').style.width = `${percent ?? 0}%`
    this.#part('percent').textContent = percent === null ? '' : `${percent} %`
  }

  #showFailure({ title, detail, failureCode }) {
    this.#part('title').textContent = title
    this.#part('detail').textContent = detail ?? ''
    this.#part('code').textContent = failureCode
    this.#part('failure').hidden = false
  }

  #end() {
    const hadFocus = document.activeElement === this.#part('cancel')
    this.#part('cancel').hidden = true
    this.#part('remove').hidden = false
    if (hadFocus) this.#part('type').focus()
  }

  async #cancel() {
    this.#part('cancel').disabled = true
    try {
      // The card changes when the event says so, as it does when somebody else cancels.
      await this.onCancel()
    } catch (error) {
      this.#part('cancel').disabled = false
      this.note(`Not cancelled: ${error.message}`)
    }
  }

  #remove() {
    this.element.remove()
    this.onRemove()
  }
}
