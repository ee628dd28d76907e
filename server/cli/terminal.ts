/** What the command reads of its process, and writes to it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  out(text: string): void
  error(text: string): void
}
