import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)

/** Imports of what tsc writes: static ones begin a line. */
const imports = /(?:^(?:import|export) (?:[^'"=;()]* from )?|\bimport\()['"]([^'"]+)['"]/gm

/** The packages and modules of Node that a built entry needs, with all that it imports. */
function needs(entry: string): string[] {
  const files = new Set<string>([entry])
  const outside = new Set<string>()
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    for (const [, from = ''] of text.matchAll(imports)) {
      if (from.startsWith('.')) files.add(join(dirname(file), from))
      else outside.add(from)
    }
  }
  return [...outside].toSorted()
}

describe('what a built entry needs', () => {
  it('has React only where React is asked for', () => {
    expect(needs('dist/client/index.js')).toEqual(['eventsource-parser'])
    expect(needs('dist/client/react/index.js')).toEqual(['@tanstack/react-query', 'eventsource-parser', 'react'])
    const others = [...needs('dist/server/index.js'), ...needs('dist/testing/index.js')]
    expect(others.filter((name) => /react/.test(name))).toEqual([])
  })

  it('marks hook and provider as code of the browser, for frameworks that render components on a server', () => {
    const marked = (name: string): boolean =>
      readFileSync(`dist/client/react/${name}.js`, 'utf8').startsWith(`'use client'`)
    expect(['use-job', 'provider'].filter(marked)).toEqual(['use-job', 'provider'])
    // These can be called on a server, too.
    expect(['index', 'job-query', 'create-use-job'].filter(marked)).toEqual([])
  })

  it('has nothing of Node, PostgreSQL or a test framework in the fake server', () => {
    expect(needs('dist/testing/fake/index.js')).toEqual(['ajv-formats', 'ajv/dist/2020.js', 'uuid'])
  })
})

describe('the walls of the project', () => {
  it('stand: core, use cases, store, executor and HTTP import only what they may [A05 A06 A07]', () => {
    const cruise = ['--config', '.dependency-cruiser.cjs', 'server', 'client', 'generated', 'testing']
    expect(() => execFileSync('node_modules/.bin/depcruise', cruise, { stdio: 'pipe' })).not.toThrow()
  }, 60_000)

  it('have one door: only the composition root and the runnable server build the parts [A08]', () => {
    const builds = /new (Executor|Watcher|Changes|Database|PostgresHints|Streams|Backlog)\(/
    const builders = sources('server').filter((name) => builds.test(readFileSync(name, 'utf8')))
    expect(builders).toEqual(['server/assembly.ts', 'server/service.ts'])
  })

  it('keep SQL in the store, and the process in the main files', () => {
    const sql = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b [a-z$*(]/
    const outside = sources('server').filter((name) => !/server\/(store|embedded|main|cli\/main)/.test(name))
    expect(outside.filter((name) => sql.test(readFileSync(name, 'utf8')))).toEqual([])
    expect(outside.filter((name) => /process\.(env|exit|on)\b/.test(readFileSync(name, 'utf8')))).toEqual([])
  })

  it('keep unit tests pure: none of them opens a connection [A86]', () => {
    const units = sources('test').filter((name) => name.endsWith('.unit.test.ts'))
    expect(units.length).toBeGreaterThan(10)
    const impure = /support\/(app|database|executor|replicas|scripted-server)/
    expect(units.filter((name) => impure.test(readFileSync(name, 'utf8')))).toEqual([])
  })
})
