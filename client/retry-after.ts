const floorMs = 100
const capMs = 300_000

/** Milliseconds since the epoch of an IMF-fixdate (RFC 9110 section 5.6.7), else undefined. */
function parseFixdate(value: string | null): number | undefined {
  const ms = Date.parse(value ?? '')
  // Date.parse takes much that is no HTTP-date; only an IMF-fixdate comes back from it letter by letter.
  return !Number.isNaN(ms) && new Date(ms).toUTCString() === value ? ms : undefined
}

/**
 * The `Retry-After` of a response (RFC 9110 section 10.2.3) in milliseconds from now, or undefined where it is
 * missing, hidden by CORS, not of a form that the RFC lets senders generate, or in the past. A date counts from the
 * response's own `Date`, so that a wrong clock on either side changes nothing.
 */
export function parseRetryAfter(headers: Headers, now: () => number = Date.now): number | undefined {
  const value = headers.get('Retry-After')
  if (value !== null && /^\d+$/.test(value)) return Number(value) * 1000
  const at = parseFixdate(value)
  if (at === undefined) return undefined
  const ms = at - (parseFixdate(headers.get('Date')) ?? now())
  return ms > 0 ? ms : undefined
}

/**
 * Milliseconds until the next poll: what the server asked for, else `fallbackMs`, within 0.1 s and 300 s, and up to a
 * tenth more (never less), so that clients that were told the same do not come at the same instant.
 */
export function pollDelay(askedMs: number | undefined, fallbackMs: number, random: () => number = Math.random): number {
  const ms = Math.max(floorMs, askedMs ?? fallbackMs)
  return Math.min(capMs, ms * (1 + random() / 10))
}
