import { parseDuration } from '../duration.ts'
import { options } from './options.ts'
import type { Settings } from './settings.ts'

/** Reads options by name and gathers what is wrong with them; a wrong one reads as something harmless. */
export class OptionReader {
  readonly #settings: Settings
  readonly #mistakes: string[]
  readonly #label: (name: string) => string

  constructor(settings: Settings, mistakes: string[], label: (name: string) => string) {
    this.#settings = settings
    this.#mistakes = mistakes
    this.#label = label
    this.#refuseUnknown()
  }

  /** What was given, if anything. */
  value(name: string): unknown {
    const [group = '', key] = name.split('.')
    const found = (this.#settings as Readonly<Record<string, unknown>>)[group]
    return key === undefined ? found : (found as Readonly<Record<string, unknown>> | undefined)?.[key]
  }

  /** Reads an option that has no default, if it was given. */
  optional<T>(name: string, read: () => T): T | undefined {
    return this.value(name) === undefined ? undefined : read()
  }

  /** @returns milliseconds. */
  duration(name: string): number {
    const option = options[name]
    return this.durationOf(name, this.value(name) ?? (option?.kind === 'duration' ? option.fallback : undefined))
  }

  /** @returns milliseconds. */
  durationOf(name: string, found: unknown): number {
    const ms = parseDuration(found)
    if (ms !== undefined && ms > 0) return ms
    this.mistake(name, 'an ISO 8601 duration such as PT30S, longer than zero, without years and months', found)
    return 1
  }

  whole(name: string): number {
    const option = options[name]
    if (option?.kind !== 'whole') throw new Error(`${name} is no number`)
    const found = this.value(name) ?? option.fallback
    if (typeof found === 'number' && Number.isSafeInteger(found) && found >= option.least) return found
    this.mistake(name, `a whole number of at least ${option.least}`, found)
    return option.least
  }

  flag(name: string): boolean {
    const option = options[name]
    const found = this.value(name) ?? (option?.kind === 'flag' ? option.fallback : undefined)
    if (typeof found === 'boolean') return found
    this.mistake(name, 'true or false', found)
    return false
  }

  /** @returns the URL without slashes at its end. */
  url(name: string): string | undefined {
    const found = this.value(name)
    if (typeof found === 'string' && URL.canParse(found) && /^https?:/.test(found)) return found.replace(/\/+$/, '')
    this.mistake(name, 'an absolute http or https URL', found)
    return undefined
  }

  schemaName(name: string): string | undefined {
    const found = this.value(name)
    if (typeof found === 'string' && /^[^\0]{1,63}$/.test(found)) return found
    this.mistake(name, 'the name of a PostgreSQL schema', found)
    return undefined
  }

  record(name: string): Readonly<Record<string, unknown>> {
    const found = this.value(name) ?? {}
    if (typeof found === 'object') return found as Readonly<Record<string, unknown>>
    this.mistake(name, 'an object with a duration for each type', found)
    return {}
  }

  mistake(name: string, expected: string, found: unknown = this.value(name)): void {
    this.#mistakes.push(`${this.#label(name)}: expected ${expected}, found ${JSON.stringify(found) ?? typeof found}`)
  }

  /** A misspelt option would otherwise be ignored in silence. */
  #refuseUnknown(): void {
    for (const [group, found] of Object.entries(this.#settings)) {
      const keys = group in options || typeof found !== 'object' || found === null ? [] : Object.keys(found)
      const names = keys.length === 0 ? [group] : keys.map((key) => `${group}.${key}`)
      for (const name of names) {
        const isGroup = Object.keys(options).some((known) => known.startsWith(`${name}.`))
        if (!(name in options) && !isGroup) this.#mistakes.push(`${this.#label(name)}: there is no such option`)
      }
    }
  }
}
