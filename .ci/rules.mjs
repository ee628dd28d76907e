// Rules of the project that no other tool checks.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const faults = []
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
const files = tracked.split('\n').filter(Boolean)
const read = (name) => readFileSync(name, 'utf8')

// A download host in the lock file would tie every install to it.
for (const name of files.filter((file) => file.endsWith('package-lock.json'))) {
  if (/"resolved": "http/.test(read(name))) faults.push(`${name} names a download host`)
}

// Names that say nothing.
const banned = /(^|\/)(utils?|helpers?|common|lib|types|interfaces|manager|misc)(\.|\/)/
for (const name of files.filter((file) => banned.test(file))) faults.push(`${name} has a name that says nothing`)

// Tests that are switched off, and promises to do it later.
const soft = /\b(it|test|describe)\.(only|skip|todo|fails)\b|@ts-i[g]nore|\bT[O]DO\b|\bFI[X]ME\b/
for (const name of files.filter((file) => /\.(ts|tsx|mjs|js|sql|yaml)$/.test(file) && file !== '.ci/rules.mjs')) {
  if (soft.test(read(name))) faults.push(`${name} has a test that is switched off, or something left for later`)
}

// Every behaviour that is described has a test that names it.
const tests = files
  .filter((file) => /^test\/.*\.tsx?$/.test(file))
  .map(read)
  .join('\n')
const described = [...read('docs/behaviours.md').matchAll(/^\| ([A-Z]\d{1,2}) +\|/gm)].map((match) => match[1])
for (const id of described) {
  if (!new RegExp(`\\b${id}\\b`).test(tests)) faults.push(`docs/behaviours.md describes ${id}, which no test names`)
}
const named = new Set([...tests.matchAll(/\[((?:[A-Z]\d{1,2} ?)+)\]/g)].flatMap((match) => match[1].trim().split(' ')))
for (const id of named) {
  if (!described.includes(id)) faults.push(`a test names ${id}, which docs/behaviours.md does not describe`)
}

for (const fault of faults) console.error(fault)
console.log(
  faults.length === 0 ? `rules kept in ${files.length} files, ${described.length} behaviours named by tests` : '',
)
process.exit(faults.length === 0 ? 0 : 1)
