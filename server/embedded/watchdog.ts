import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { startChild } from './child.ts'

/**
 * Stops the server when this process ends without having done so, even by `kill -9`: a shell waits for the end of a pipe
 * that only this process holds, then asks for a fast shutdown. A help, not a promise: there is none on Windows.
 *
 * @returns ends the watch
 */
export async function watchOver(pid: number): Promise<() => void> {
  if (process.platform === 'win32') return () => {}
  const command = ['/bin/sh', '-c', 'read -r _; kill -INT "$0"', String(pid)] as const
  // Detached: the terminal's Ctrl-C is for the process that owns the server.
  const watchdog: ChildProcess | undefined = await startChild(command, undefined, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  }).catch(() => undefined)
  watchdog?.stdin?.on('error', () => {})
  if (watchdog?.stdin instanceof Socket) watchdog.stdin.unref()
  watchdog?.unref()
  return () => void watchdog?.kill('SIGKILL')
}
