/** An ISO 8601 duration of weeks or less: `PT10M`, `PT0.5S`, `P1D`. */
export type IsoDuration = string

// Strict on purpose: libraries that were tried take what follows or precedes a duration for part of it.
const pattern = /^P(?=\d|T)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/
const unitsMs = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000] as const

/** @returns milliseconds, or undefined for what is no duration, is negative, or has years or months (which differ). */
export function parseDuration(text: unknown): number | undefined {
  const found = typeof text === 'string' ? pattern.exec(text) : null
  if (found === null) return undefined
  const ms = unitsMs.reduce((sum, unit, index) => sum + Number(found[index + 1] ?? 0) * unit, 0)
  return Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : undefined
}
