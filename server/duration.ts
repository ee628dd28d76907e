import { parse } from 'tinyduration'

/** An ISO 8601 duration of weeks or less: `PT10M`, `PT0.5S`, `P1D`. */
export type IsoDuration = string

const units = { weeks: 604_800_000, days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const

/** @returns milliseconds, or undefined for what is no duration, is negative, or has years or months (which differ). */
export function parseDuration(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const duration = parse(text)
    if (duration.negative === true || duration.years !== undefined || duration.months !== undefined) return undefined
    let total = 0
    for (const [unit, ms] of Object.entries(units)) total += (duration[unit as keyof typeof units] ?? 0) * ms
    return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined
  } catch {
    return undefined
  }
}
