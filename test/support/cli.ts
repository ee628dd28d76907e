import { run } from '../../server/cli/run.ts'

/** What a command wrote and how it ended. */
export interface CommandResult {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Runs a command of `async-jobs` in this process. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const written = { out: '', error: '' }
  const code = await run(args, {
    env,
    out: (text) => void (written.out += text),
    error: (text) => void (written.error += text),
  })
  return { code, ...written }
}
