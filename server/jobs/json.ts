import { createHash } from 'node:crypto'
import type { ProblemCode } from '../errors.ts'

/** How deep a value may be nested. PostgreSQL and JSON.stringify overflow far later, at tens of thousands of levels. */
export const maxDepth = 100

interface JsonFault {
  readonly code: Extract<ProblemCode, 'body-too-deep' | 'invalid-input'>
  readonly detail: string
}

/**
 * Finds what PostgreSQL's jsonb cannot keep: too deep a nesting, NUL characters, lone surrogates, and values that are no
 * JSON at all. Iterative, because a recursive walk is what deep nesting breaks.
 */
export function findJsonFault(value: unknown): JsonFault | undefined {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, depth } = next
    if (depth > maxDepth) return { code: 'body-too-deep', detail: `at most ${maxDepth} levels of nesting are taken` }
    if (typeof current === 'object' && current !== null) {
      if (Object.keys(current).some(isUnstorable)) return unstorable
      for (const inner of Object.values(current)) open.push({ value: inner, depth: depth + 1 })
    } else if (typeof current === 'string') {
      if (isUnstorable(current)) return unstorable
    } else if (!isJsonScalar(current)) {
      return { code: 'invalid-input', detail: `${typeof current} is no JSON` }
    }
  }
  return undefined
}

const unstorable: JsonFault = {
  code: 'invalid-input',
  detail: 'a text has a NUL character or a lone surrogate, which PostgreSQL cannot store',
}

function isUnstorable(text: string): boolean {
  return text.includes('\0') || /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

/** JSON with the properties of objects in one order, so that equal requests are equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** The digest of a text, as hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
