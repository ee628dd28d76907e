import { setTimeout as nap } from 'node:timers/promises'
import { defineHandler, type AnyHandler, type Logger } from '../server/index.ts'

export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Milliseconds of the wall clock, with fractions: what two processes of one machine agree on. */
export const wallClock = (): number => performance.timeOrigin + performance.now()

/** A job of 0.2 to 1.2 s whose output is when its handler returned. */
export const napping: AnyHandler = defineHandler({
  type: 'napping',
  outputSchema: {},
  handle: async () => {
    await nap(200 + Math.random() * 1_000)
    return wallClock()
  },
})
