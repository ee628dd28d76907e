import { findJsonFault } from './json.ts'
import type { RegisteredType } from './registry.ts'

/** The longest output, in bytes of JSON. Larger results belong to a resource of the consumer's own. */
export const maxOutputBytes: number = 256 * 1024

/** A returned value as JSON text (null where the type declares no output), or the sentence why it cannot be one. */
export function serializeOutput(type: RegisteredType, value: unknown): { text: string | null } | { fault: string } {
  if (type.validateOutput === undefined) return { text: null }
  let text: string | undefined
  try {
    text = JSON.stringify(value) as string | undefined
  } catch {
    return { fault: 'the output cannot be written as JSON' }
  }
  if (text === undefined) return { fault: 'the output cannot be written as JSON' }
  const size = Buffer.byteLength(text)
  if (size > maxOutputBytes) return { fault: `the output has ${size} bytes, at most ${maxOutputBytes} are taken` }
  const plain: unknown = JSON.parse(text)
  const fault = findJsonFault(plain)
  if (fault !== undefined) return { fault: fault.detail }
  const [error] = type.validateOutput(plain)
  return error === undefined ? { text } : { fault: `${error.pointer || '/'} ${error.detail}` }
}
