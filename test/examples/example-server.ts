import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface ExampleServer {
  /** Without a trailing slash. */
  readonly url: string
  /** Ends the process as Ctrl-C does, and resolves when it has gone. */
  stop(): Promise<void>
}

/** Starts the process of `npm start` on a database that has the schema. */
export async function startExampleServer(databaseUrl: string, port = 0): Promise<ExampleServer> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'dist/server/main.js', 'examples/accounts/app.ts'], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const gone = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await gone
  }
  return { url: await listening(child), stop }
}

/** The URL that the process logs once it listens. */
async function listening(child: ChildProcess): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    lines.push(line)
    const url = /"url":"([^"]+?)\/?"/.exec(line)?.[1]
    if (url === undefined) continue
    child.stderr?.resume()
    return url
  }
  throw new Error(`the example did not start:\n${lines.join('\n')}`)
}
