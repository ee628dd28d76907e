/** A percentage as it is stored: a whole number from 0 to 100. Throws a TypeError that names what came. */
export function toPercent(percent: unknown): number {
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
    throw new TypeError(`progress: expected a number from 0 to 100, found ${describe(percent)}`)
  }
  return Math.floor(percent)
}

function describe(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : typeof value
}
