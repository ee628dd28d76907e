import { orAbort } from './abort.ts'

/** The longest delay that timers keep; one millisecond more fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** Calls back once after `ms` milliseconds, however long that is. Returns what cancels it. */
export function after(ms: number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const arm = (left: number): void => {
    timer = setTimeout(
      () => (left > longestTimerMs ? arm(left - longestTimerMs) : callback()),
      Math.min(left, longestTimerMs),
    )
  }
  arm(ms)
  return () => clearTimeout(timer)
}

/** Resolves after `ms` milliseconds, or rejects with the reason of `signal`; leaves no timer and no listener. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let cancel: (() => void) | undefined
  const passed = new Promise<void>((resolve) => (cancel = after(ms, resolve)))
  return orAbort(passed, signal).finally(cancel)
}

/** How long to wait for something, in milliseconds, and what it is to be late. */
export interface Limit {
  readonly ms: number
  readonly late: () => Error
}

/** `promise`, or a rejection as soon as `signal` aborts or the limit passes. */
export function within<T>(promise: Promise<T>, signal: AbortSignal, { ms, late }: Limit): Promise<T> {
  let cancel: (() => void) | undefined
  const passed = new Promise<never>((_, reject) => (cancel = after(ms, () => reject(late()))))
  return orAbort(Promise.race([promise, passed]), signal).finally(cancel)
}
