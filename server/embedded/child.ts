import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { parse } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Identity } from './identity.ts'

/**
 * Starts a program with an environment of our own, from the root folder: the server's user may be unable to enter ours.
 *
 * Resolves when the program runs; a program that can't be started rejects and never raises an `error` event.
 */
export async function startChild(
  command: readonly [program: string, ...args: string[]],
  identity: Identity | undefined,
  options: SpawnOptions = {},
): Promise<ChildProcess> {
  const [program, ...args] = command
  const child = spawn(program, args, {
    ...options,
    ...identity,
    cwd: parse(program).root,
    env: childEnvironment(),
    windowsHide: true,
  })
  await once(child, 'spawn')
  child.on('error', () => {})
  return child
}

/**
 * Runs a program to its end and gives what it printed.
 *
 * @throws when it can't be started, or ends with anything but 0; the message has its output
 */
export async function runChild(
  command: readonly [program: string, ...args: string[]],
  identity?: Identity,
): Promise<string> {
  const child = await startChild(command, identity, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close'),
  ])
  const { exitCode, signalCode } = child
  if (exitCode !== 0) {
    throw new Error(`${command[0]} failed (${signalCode ?? `exit code ${exitCode}`})\n${stderr}${stdout}`.trim())
  }
  return stdout
}

/** Nothing of the caller's environment reaches PostgreSQL: no PG* variable, no locale, no library path. */
function childEnvironment(): NodeJS.ProcessEnv {
  const neutral = { LC_ALL: 'C', TZ: 'UTC' }
  if (process.platform !== 'win32') return neutral
  const { SystemRoot, TEMP, TMP } = process.env
  return { ...neutral, SystemRoot, TEMP, TMP }
}
