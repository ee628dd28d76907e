import { ProblemError } from '../errors.ts'
import { findJsonFault } from './json.ts'
import type { RegisteredType } from './registry.ts'

/** @returns the input, which its type's schema lets pass. Rejects with a problem that says where it does not. */
export function checkInput(type: RegisteredType, input: unknown): unknown {
  const name = JSON.stringify(type.name)
  if (type.validateInput === undefined) {
    // Generated clients in some languages send `null` where they are given no body.
    if (input === undefined || input === null) return undefined
    throw new ProblemError('invalid-input', { detail: `the type ${name} takes no input` })
  }
  if (input === undefined) throw new ProblemError('invalid-input', { detail: `the type ${name} requires an input` })
  const fault = findJsonFault(input)
  if (fault !== undefined) throw new ProblemError(fault.code, { detail: fault.detail })
  const errors = type.validateInput(input)
  if (errors.length > 0) {
    throw new ProblemError('invalid-input', {
      errors: errors.map(({ pointer, detail }) => ({ in: 'body', pointer: `#${pointer}`, detail })),
    })
  }
  return input
}
