import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Where the suites keep the tools of other languages that they install. */
export const cache: string = resolve('node_modules/.cache/async-jobs')

export interface Ran {
  readonly code: number | null
  /** Standard output and standard error, as they came. */
  readonly output: string
}

/** Runs a program to its end. Rejects with `need` when there is no such program. */
export function run(
  command: readonly [string, ...string[]],
  { cwd, env, need }: { cwd?: string; env?: Record<string, string>; need?: string } = {},
): Promise<Ran> {
  const [program, ...args] = command
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
    child.once('error', (error) => reject(need === undefined ? error : new Error(need, { cause: error })))
    child.once('close', (code) => done({ code, output }))
  })
}

/** Runs a program that must succeed. Rejects with `need` first, where it has not. @returns what it said. */
export async function mustRun(...given: Parameters<typeof run>): Promise<string> {
  const [command, { need } = {}] = given
  const { code, output } = await run(...given)
  if (code === 0) return output
  throw new Error(`${need === undefined ? '' : `${need}\n`}${command.join(' ')} ended with ${code}:\n${output}`)
}

/** Installs a Python package into an environment of its own, once. @returns the path of its program. */
export async function installPython(program: string, version: string): Promise<string> {
  const need = 'This suite needs python3 with venv and pip (Debian: python3-venv), and a package index that they reach.'
  const folder = join(cache, `${program}-${version}`)
  const file = join(folder, 'bin', program)
  if (existsSync(file)) return file
  await mkdir(cache, { recursive: true })
  await mustRun(['python3', '-m', 'venv', folder], { need })
  await mustRun([join(folder, 'bin/pip'), 'install', '--quiet', `${program}==${version}`], { need })
  return file
}
