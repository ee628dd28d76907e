import type { Transaction } from '../handler.ts'

const pattern = /^(?=.*[0-9])[0-9A-Z]{5}$/

/** The SQLSTATE behind an error that query builders may have wrapped; the innermost one, because wrappers have codes too. */
export function stateBehind(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined
  const { cause, meta, driverAdapterError, originalCode, code } = error as Record<string, unknown>
  for (const inner of [cause, meta, driverAdapterError]) {
    const state = stateBehind(inner, depth + 1)
    if (state !== undefined) return state
  }
  return [originalCode, code].find((text): text is string => typeof text === 'string' && pattern.test(text))
}

/** What a client of pg 8.21 and newer tells of its transaction. */
interface TellingClient extends Transaction {
  getTransactionStatus(): 'I' | 'T' | 'E' | null
  on(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}

const tells = (transaction: Transaction): transaction is TellingClient =>
  'getTransactionStatus' in transaction && 'on' in transaction && 'off' in transaction

/** Whether the client says that it is in no transaction (any more). */
export function isIdle(transaction: Transaction): boolean {
  return tells(transaction) && transaction.getTransactionStatus() === 'I'
}

const waiting = new WeakMap<Transaction, Set<() => void>>()

/** Calls back once the transaction has ended, either way. Clients that do not tell never call. */
export function whenEnded(transaction: Transaction, callback: () => void): void {
  if (!tells(transaction)) return
  const present = waiting.get(transaction)
  if (present !== undefined) return void present.add(callback)
  const callbacks = new Set([callback])
  waiting.set(transaction, callbacks)
  // Emitted when the answer to the last statement is complete, and with it the state that the server is in.
  const look = (): void => {
    if (!isIdle(transaction)) return
    transaction.off('drain', look)
    waiting.delete(transaction)
    for (const tell of callbacks) tell()
  }
  transaction.on('drain', look)
}

const turns = new WeakMap<Transaction, Promise<unknown>>()

/** Lets submits on one transaction take turns: under savepoints, they would undo each other. */
export function inTurn<Result>(transaction: Transaction, work: () => Promise<Result>): Promise<Result> {
  const mine = (turns.get(transaction) ?? Promise.resolve()).then(work, work)
  turns.set(transaction, mine)
  return mine
}
