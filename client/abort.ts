const groups = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly run: () => void }>()

/**
 * Calls back when `signal` aborts, at once if it has. Returns what detaches the callback. However many callbacks wait
 * for one signal, it carries one listener: platforms warn of more than a few, and a caller's signal may have thousands.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback()
    return () => undefined
  }
  let group = groups.get(signal)
  if (!group) {
    const callbacks = new Set<() => void>()
    group = { callbacks, run: () => callbacks.forEach((call) => call()) }
    groups.set(signal, group)
    signal.addEventListener('abort', group.run, { once: true })
  }
  const { callbacks, run } = group
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size > 0) return
    groups.delete(signal)
    signal.removeEventListener('abort', run)
  }
}

/** A signal with its own switch, that also follows another signal until it is released. */
export interface Scope {
  readonly signal: AbortSignal
  readonly abort: (reason: unknown) => void
  readonly release: () => void
}

/**
 * A new signal that aborts with `parent`. Each request and each wait gets one of its own, because platforms keep
 * what they attach to the signal of a request until garbage collection, and a caller's signal may live for ever.
 */
export function follow(parent: AbortSignal | undefined): Scope {
  const controller = new AbortController()
  const release = parent ? onAbort(parent, () => controller.abort(parent.reason)) : () => undefined
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), release }
}

/** `promise`, or a rejection with the reason of `signal` as soon as that aborts, whatever `promise` then does. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const detach = onAbort(signal, () => reject(signal.reason))
    promise.then(resolve, reject).finally(detach)
  })
}
