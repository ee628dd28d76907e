/** Timers of Node take at most this many milliseconds and fire at once beyond it. */
const longest = 2 ** 31 - 1

/**
 * Like `setTimeout`, for any delay.
 * @returns a function that cancels it.
 */
export function startTimer(delayMs: number, fire: () => void): () => void {
  let timer: NodeJS.Timeout
  const arm = (left: number): void => {
    const step = Math.min(left, longest)
    timer = setTimeout(() => (left > step ? arm(left - step) : fire()), step)
  }
  arm(Math.max(0, delayMs))
  return () => clearTimeout(timer)
}
