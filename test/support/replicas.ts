import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../../server/config/settings.ts'

/** A child process that serves and runs jobs. */
export interface Replica {
  readonly url: string
  readonly process: ChildProcess
  /** Resolves when the job's handler begins here. */
  started(jobId: string): Promise<void>
  /** Resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a process on the database; resolves when it serves. */
export async function startReplica(url: string, settings: Settings): Promise<Replica> {
  const child = fork(fileURLToPath(new URL('replica.ts', import.meta.url)), [JSON.stringify({ url, settings })], {
    execArgv: ['--import', 'tsx'],
  })
  const begun = new Set<string>()
  const waiting = new Map<string, () => void>()
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const serving = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the replica ended with ${String(code)}`)))
    child.on('message', (message: { url?: string; started?: string }) => {
      if (message.url !== undefined) resolve(message.url)
      if (message.started === undefined) return
      begun.add(message.started)
      waiting.get(message.started)?.()
    })
  })
  return {
    url: await serving,
    process: child,
    started: (jobId) =>
      begun.has(jobId) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(jobId, resolve)),
    kill: (signal = 'SIGKILL') => {
      child.kill(signal)
      return exited
    },
  }
}
