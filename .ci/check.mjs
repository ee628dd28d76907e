// `npm run check`: every check there is, one after the other, with all failures at the end.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const failed = []
for (const name of Object.keys(scripts).filter((script) => script.startsWith('check:'))) {
  console.log(`\n== ${name}`)
  const from = performance.now()
  const { status } = spawnSync('npm', ['run', '--silent', name], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  console.log(`== ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${((performance.now() - from) / 1000).toFixed(1)} s`)
  if (status !== 0) failed.push(name)
}
console.log(failed.length === 0 ? '\nall checks passed' : `\nfailed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
