/** The quoted form of draft-ietf-httpapi-idempotency-key-header and the bare form are one key. */
export function unquote(key: string): string {
  return key.length > 2 && key.startsWith('"') && key.endsWith('"') ? key.slice(1, -1) : key
}
