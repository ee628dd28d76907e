/** `wait=n` or `wait="n"` as a preference of its own, with whatever parameters (RFC 7240 section 2). */
const wait = /^wait\s*=\s*(?:(\d{1,9})|"(\d{1,9})")\s*(?:;|$)/i

/**
 * The seconds of the first `wait` in a `Prefer` field (RFC 7240 section 4.3), at most `most`; undefined where there is
 * none. What is malformed is ignored, as the RFC asks.
 */
export function preferredWait(field: string | undefined, most: number): number | undefined {
  for (const preference of (field ?? '').split(',')) {
    const found = wait.exec(preference.trim())
    if (found !== null) return Math.min(Number(found[1] ?? found[2]), most)
  }
  return undefined
}
