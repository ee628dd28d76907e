import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { cache, installPython, mustRun } from '../support/tools.ts'

const versions = {
  'openapi-python-client': '0.29.1',
  'oapi-codegen': 'v2.8.2',
  'openapi-generator': '7.25.0',
}

const document = resolve('openapi.yaml')
const sources = resolve('test/languages')

/** Makes a client of the document in a new folder. @returns the command that runs the story with it. */
export type Generate = () => Promise<readonly [string, ...string[]]>

async function emptyFolder(language: string): Promise<string> {
  // Outside of node_modules, for which compilers of TypeScript write nothing.
  const folder = join(tmpdir(), 'async-jobs-languages', language)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}

export const python: Generate = async () => {
  const generator = await installPython('openapi-python-client', versions['openapi-python-client'])
  const folder = await emptyFolder('python')
  const output = join(folder, 'async_jobs_client')
  await mustRun([generator, 'generate', '--path', document, '--meta', 'none', '--output-path', output])
  await cp(join(sources, 'python/story.py'), join(folder, 'story.py'))
  return [join(dirname(generator), 'python'), join(folder, 'story.py')]
}

export const go: Generate = async () => {
  const need = 'This suite needs Go 1.25 or newer (Debian: golang), and a module proxy that it reaches.'
  const env = { GOBIN: join(cache, 'go-bin'), GOFLAGS: '-mod=mod' }
  const folder = await emptyFolder('go')
  const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions['oapi-codegen']}`
  await mustRun(['go', 'install', tool], { env, need })
  const output = join(folder, 'asyncjobs/asyncjobs.go')
  await mkdir(dirname(output))
  const generator = join(env.GOBIN, 'oapi-codegen')
  await mustRun([generator, '-generate', 'types,client', '-package', 'asyncjobs', '-o', output, document])
  await cp(join(sources, 'go/main.go'), join(folder, 'main.go'))
  await cp(join(sources, 'go/go.mod.txt'), join(folder, 'go.mod'))
  await mustRun(['go', 'build', '-o', 'story', '.'], { cwd: folder, env, need })
  return [join(folder, 'story')]
}

/** The generator of Java and TypeScript is a Java program, which Maven's repository has. */
async function openapiGenerator(...args: string[]): Promise<void> {
  const need =
    'This suite needs Java 17 or newer and Maven (Debian: default-jdk-headless maven), and a repository that it reaches.'
  const jar = join(cache, `openapi-generator-cli-${versions['openapi-generator']}.jar`)
  if (!existsSync(jar)) {
    const artifact = `org.openapitools:openapi-generator-cli:${versions['openapi-generator']}:jar`
    const copy = [`-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`, '-Dtransitive=false']
    const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'
    await mustRun(['mvn', '-q', '-B', `${plugin}:get`, `-Dartifact=${artifact}`, '-Dtransitive=false'], { need })
    await mustRun(['mvn', '-q', '-B', `${plugin}:copy`, ...copy], { need })
  }
  await mustRun(['java', '-jar', jar, 'generate', '-i', document, ...args], { need })
}

export const java: Generate = async () => {
  const folder = await emptyFolder('java')
  const client = join(folder, 'client')
  await openapiGenerator('-g', 'java', '--library', 'native', '-o', client)
  const build = ['-q', '-B', '-DskipTests', '-Dmaven.javadoc.skip=true', 'package', 'dependency:copy-dependencies']
  await mustRun(['mvn', ...build], { cwd: client })
  const path = [join(client, 'target/classes'), join(client, 'target/dependency/*'), folder].join(':')
  await mustRun(['javac', '-cp', path, '-d', folder, join(sources, 'java/Story.java')])
  return ['java', '-cp', path, 'Story']
}

export const typescript: Generate = async () => {
  const folder = await emptyFolder('typescript')
  const extensions = '--additional-properties=importFileExtension=.js'
  await openapiGenerator('-g', 'typescript-fetch', extensions, '-o', join(folder, 'client'))
  await cp(join(sources, 'typescript/story.mts'), join(folder, 'story.mts'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const options = [
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--typeRoots',
    resolve('node_modules/@types'),
  ]
  await mustRun([resolve('node_modules/.bin/tsc'), ...options, 'story.mts'], { cwd: folder })
  return [process.execPath, join(folder, 'story.mjs')]
}
