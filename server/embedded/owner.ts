import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runChild } from './child.ts'
import { hasCode } from './error-code.ts'
import { exists } from './pid.ts'

const FILE = 'owner'

/** A data folder that this process owns until it gives it up. */
export interface Claim {
  /** Absolute, without links. */
  readonly dataDir: string
  readonly release: () => Promise<void>
}

/**
 * Makes this process the owner of a data folder, so that a second start cannot take a running server for a stale one.
 * The folder is made when missing.
 *
 * @throws when a living process owns it
 */
export async function claimFolder(path: string): Promise<Claim> {
  await mkdir(path, { recursive: true })
  const dataDir = await realpath(path)
  const file = join(dataDir, FILE)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${process.pid}\n${await birthOf(process.pid)}\n`, { mode: 0o600 })
  try {
    // A link appears with its content, or fails when the name is taken.
    while (!(await linked(draft, file))) {
      const pid = await livingOwner(dataDir)
      if (pid !== undefined) throw new Error(`${dataDir} is in use by the process ${pid}`)
      await rm(file, { force: true })
    }
  } finally {
    await rm(draft, { force: true })
  }
  return { dataDir, release: () => rm(file, { force: true }) }
}

/** The process that has the folder's server in its charge, `undefined` when there is none or it is gone. */
export async function livingOwner(dataDir: string): Promise<number | undefined> {
  const [pid = '', birth] = (await readFile(join(dataDir, FILE), 'utf8').catch(() => '')).split('\n')
  const id = Number.parseInt(pid, 10)
  if (!(id > 0) || !exists(id)) return undefined
  return (await birthOf(id)) === birth ? id : undefined
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** When the process began, in a form that is only good for comparing. Tells a process from a later one of the same id. */
async function birthOf(pid: number): Promise<string> {
  if (process.platform === 'win32') return ''
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The name in parentheses may hold spaces; the start time is the 20th field behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  }
  return (await runChild(['/bin/ps', '-o', 'lstart=', '-p', String(pid)]).catch(() => '')).trim()
}
