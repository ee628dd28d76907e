/** Whether something thrown carries this code, of the operating system or of PostgreSQL. */
export function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code
}
