import { type Option, options } from './options.ts'
import type { Settings } from './settings.ts'

const prefix = 'ASYNC_JOBS_'

/** The environment variable of an option: `processing.stopGrace` is `ASYNC_JOBS_PROCESSING_STOP_GRACE`. */
export function variableOf(name: string): string {
  return prefix + name.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()
}

/**
 * Settings from `ASYNC_JOBS_…` variables. What cannot be read stays as it is, so that it is reported with all other
 * mistakes.
 * @param mistakes receives a sentence for each variable that belongs to no option.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>, mistakes: string[]): Settings {
  const byVariable = new Map(Object.keys(options).map((name) => [variableOf(name), name]))
  const settings: Record<string, unknown> = {}
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(prefix) || text === undefined || text === '') continue
    const name = byVariable.get(variable)
    if (name === undefined) mistakes.push(`${variable}: there is no such option`)
    else place(settings, name, toValue(options[name] as Option, text))
  }
  return settings
}

function place(settings: Record<string, unknown>, name: string, value: unknown): void {
  const [group = '', key] = name.split('.')
  if (key === undefined) settings[group] = value
  else settings[group] = { ...(settings[group] as object | undefined), [key]: value }
}

function toValue({ kind }: Option, text: string): unknown {
  if (kind === 'whole') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (kind === 'flag') return text === 'true' ? true : text === 'false' ? false : text
  if (kind !== 'durations by type') return text
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [type = '', ...window] = pair.split('=')
      return [type.trim(), window.join('=').trim()]
    }),
  )
}

/** Settings of two sources, the second over the first. */
export function mergeSettings(base: Settings, over: Settings): Settings {
  const merged: Record<string, unknown> = { ...base }
  for (const [group, value] of Object.entries(over)) {
    const isGroup = typeof value === 'object' && value !== null
    merged[group] = isGroup ? { ...(merged[group] as object | undefined), ...value } : value
  }
  return merged
}
