/** `no-cache` as a directive of its own, anywhere in the field (RFC 9111 section 5.2.1.4). */
export function hasNoCache(field: string | undefined): boolean {
  return (field ?? '').split(',').some((directive) => directive.trim().toLowerCase() === 'no-cache')
}
