import { readFile, realpath, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runChild } from './child.ts'
import { exists, signalUnlessGone } from './pid.ts'
import { shutDown } from './shutdown.ts'

const POLL_MS = 25

/**
 * Ends the server that a killed process left behind on this cluster, if there is one.
 *
 * The caller must own the data folder. Only a process that really serves this cluster is signalled: the number in
 * `postmaster.pid` may meanwhile belong to somebody else, and then only the file is removed.
 *
 * @returns the process id of the server that was stopped
 */
export async function stopStaleServer(path: string): Promise<number | undefined> {
  // The form in which it stands on the server's command line.
  const cluster = await realpath(path).catch(() => path)
  const pidFile = join(cluster, 'postmaster.pid')
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
  // Without a process of that id PostgreSQL replaces the file by itself, after it looked for orphaned sessions.
  if (!(pid > 0) || !exists(pid)) return undefined
  if (!(await servesCluster(pid, cluster))) {
    await rm(pidFile, { force: true })
    return undefined
  }
  await shutDown({
    signal: (signal) => signalUnlessGone(pid, signal),
    endsWithin: async (ms) => {
      const deadline = Date.now() + ms
      while (await servesCluster(pid, cluster)) {
        if (Date.now() > deadline) return false
        await sleep(POLL_MS)
      }
      return true
    },
  })
  return pid
}

/** Whether the process is a postmaster of this cluster. A zombie is not: its command line is empty. */
async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  // Not /proc/<pid>/cwd: root in a container may not read it for other users.
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const [program = '', ...args] = commandLine.split('\0')
    return basename(program) === 'postgres' && args.includes(cluster)
  }
  if (process.platform === 'win32') return exists(pid)
  const commandLine = await runChild(['/bin/ps', '-ww', '-o', 'args=', '-p', String(pid)]).catch(() => '')
  return commandLine.includes('postgres') && commandLine.includes(` ${cluster} `)
}
