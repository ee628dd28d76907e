import { InvalidArgumentError } from './errors.ts'

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
// URLs drop the segments "." and "..": a type of that name would reach another route.
const type = /^(?!\.{1,2}$)[\w.-]{1,100}$/
const key = /^[\x21-\x7e]{1,257}$/

export function isJobId(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}

function check(holds: boolean, ...argument: ConstructorParameters<typeof InvalidArgumentError>): void {
  if (!holds) throw new InvalidArgumentError(...argument)
}

export function checkJobId(value: unknown): void {
  check(isJobId(value), 'jobId', 'a UUID', value)
}

export function checkType(value: unknown): void {
  check(typeof value === 'string' && type.test(value), 'type', '1 to 100 of A-Z a-z 0-9 . _ -, not . or ..', value)
}

export function checkIdempotencyKey(value: unknown): void {
  const holds = value === undefined || (typeof value === 'string' && key.test(value))
  check(holds, 'idempotencyKey', '1 to 255 visible ASCII characters', value)
}

/** Milliseconds, or a count: a number from 0, Infinity included. */
export function checkAmount(field: string, value: unknown): void {
  check(value === undefined || (typeof value === 'number' && value >= 0), field, 'a number from 0', value)
}

export function checkBaseUrl(value: unknown): void {
  check(typeof value === 'string' && !/[?#]/.test(value), 'baseUrl', 'a URL without query and fragment', value)
}
