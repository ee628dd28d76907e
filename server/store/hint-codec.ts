import type { Hint } from './port.ts'

/** NOTIFY takes at most 7,999 bytes; 300 ids of 22 characters and some types stay below. */
const maxJobs = 300
const maxBytes = 7_900

/** What travels: the sender (which ignores its own hints), types, and ids as base64url or null for "many". */
interface Message {
  from: string
  types: readonly string[]
  jobs: readonly string[] | null
}

/** Hints that wait to be sent, merged. */
export class HintBuffer {
  #types = new Set<string>()
  #jobs: Set<string> | null = new Set()

  add({ types, jobs }: Hint): void {
    for (const type of types) this.#types.add(type)
    if (jobs === null) this.#jobs = null
    for (const job of jobs ?? []) this.#jobs?.add(job)
    if (this.#jobs !== null && this.#jobs.size > maxJobs) this.#jobs = null
  }

  get empty(): boolean {
    return this.#types.size === 0 && this.#jobs?.size === 0
  }

  take(): Hint {
    const hint = { types: [...this.#types], jobs: this.#jobs === null ? null : [...this.#jobs] }
    this.#types = new Set()
    this.#jobs = new Set()
    return hint
  }
}

/** A hint as a payload that NOTIFY takes. One that would be too long says "many" instead of the ids. */
export function encodeHint(from: string, hint: Hint): string {
  const message: Message = { from, types: hint.types, jobs: hint.jobs?.map(shorten) ?? null }
  const text = JSON.stringify(message)
  if (Buffer.byteLength(text) <= maxBytes) return text
  const brief = JSON.stringify({ ...message, jobs: null })
  return Buffer.byteLength(brief) <= maxBytes ? brief : JSON.stringify({ from, types: [], jobs: null })
}

/** @returns the hint, or undefined when the payload is no hint or comes from this sender. */
export function decodeHint(from: string, payload: string): Hint | undefined {
  try {
    const message = JSON.parse(payload) as Message
    if (message.from === from || !Array.isArray(message.types)) return undefined
    return { types: message.types, jobs: message.jobs?.map(lengthen) ?? null }
  } catch {
    return undefined
  }
}

function shorten(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function lengthen(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
