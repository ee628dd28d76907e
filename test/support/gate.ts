/** A promise and the function that resolves it. */
export interface Gate<T = void> {
  readonly promise: Promise<T>
  readonly open: (value: T) => void
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {}
  const promise = new Promise<T>((resolve) => (open = resolve))
  return { promise, open }
}
