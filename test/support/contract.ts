import { checkResponse as check } from '../../testing/index.ts'

export { declaredAnswers as declared, declaredCodes, operations } from '../../testing/contract/document.ts'
export { checkEvent } from '../../testing/index.ts'

const seen = new Set<string>()
const seenCodes = new Set<string>()

/** Every `operationId status` that a response has been checked for in this file. */
export function exercised(): ReadonlySet<string> {
  return seen
}

/** Every problem code that a response had that was checked in this file. */
export function exercisedCodes(): ReadonlySet<string> {
  return seenCodes
}

/** The check that consumers have, which also notes what it has seen. */
export async function checkResponse(method: string, path: string, response: Response): Promise<void> {
  const { operationId, declaredAs, code } = await check(method, path, response)
  if (operationId !== undefined) seen.add(`${operationId} ${declaredAs ?? ''}`)
  if (code !== undefined) seenCodes.add(code)
}
