import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../examples/remote-worker/worker.py', import.meta.url))

export interface PythonWorker {
  readonly url: string
  /** Resolves when the worker says how a job has ended for it: `completed`, `failed`, `stopped` or `lost: …`. */
  ended(jobId: string): Promise<string>
  stop(): Promise<void>
}

/** Starts worker.py as a process of its own, on a free port. */
export async function startPythonWorker(): Promise<PythonWorker> {
  const child = spawn('python3', [script, '--port', '0', '--pause', '0.01'], {
    env: { ...process.env, no_proxy: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await started(child)
  const gone = once(child, 'exit')
  const states = new Map<string, string>()
  const waiting = new Set<() => void>()
  const url = new Promise<string>((resolve, reject) => {
    gone.then(
      () => reject(new Error('worker.py has ended')),
      () => {},
    )
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as { url?: string; jobId?: string; state?: string }
      if (said.url !== undefined) resolve(said.url)
      if (said.jobId !== undefined && said.state !== undefined) states.set(said.jobId, said.state)
      for (const look of waiting) look()
    })
  })
  return {
    url: await url,
    ended: (jobId) =>
      new Promise((resolve) => {
        const look = (): void => {
          const state = states.get(jobId)
          if (state === undefined || state === 'working') return
          waiting.delete(look)
          resolve(state)
        }
        waiting.add(look)
        look()
      }),
    stop: async () => {
      child.kill()
      await gone
    },
  }
}

async function started(child: ChildProcess): Promise<void> {
  try {
    await once(child, 'spawn')
  } catch {
    throw new Error('This test runs a worker in Python: install python3 (3.8 or newer), so that it is on the PATH.')
  }
}
