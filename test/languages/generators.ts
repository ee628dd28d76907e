import { existsSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { cache, installPython, mustRun } from '../support/tools.ts'

const python = { name: 'openapi-python-client', version: '0.29.1' }
const codegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const codegenRuntime = 'github.com/oapi-codegen/runtime@v1.9.0'
const generatorVersion = '7.25.0'
const mavenDependency = 'mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
const generatorArtifact = `org.openapitools:openapi-generator-cli:${generatorVersion}`
const jar = 'openapi-generator-cli.jar'

const needOfGo = 'This suite needs Go 1.25 or newer (Debian: golang), and a module proxy that it reaches.'
const needOfJava =
  'This suite needs Java 17 or newer and Maven (Debian: default-jdk-headless maven), and a repository that it reaches.'

/** What a reader of the guide types, in this order; the suite runs the very same words. */
interface Commands {
  readonly install: string
  readonly generate: string
  /** Further ones, after the client is there. */
  readonly build?: readonly string[]
}

const installJar = `${mavenDependency} -Dartifact=${generatorArtifact} -DoutputDirectory=. -Dmdep.stripVersion=true`

export const commands = {
  python: {
    install: `pip install ${python.name}==${python.version}`,
    generate: 'openapi-python-client generate --path openapi.yaml --meta none --output-path async_jobs_client',
  },
  go: {
    install: `go install ${codegen}`,
    generate: 'oapi-codegen -generate types,client -package asyncjobs -o asyncjobs/asyncjobs.go openapi.yaml',
    build: ['go mod init story', `go get ${codegenRuntime}`],
  },
  java: {
    install: installJar,
    generate: `java -jar ${jar} generate -i openapi.yaml -g java --library native -o client`,
  },
  typescript: {
    install: installJar,
    generate: `java -jar ${jar} generate -i openapi.yaml -g typescript-fetch --additional-properties=importFileExtension=.js -o client`,
  },
} satisfies Record<string, Commands>

export type Language = keyof typeof commands
type Command = readonly [string, ...string[]]

/** The words of a command, with the path of a tool that the suite has installed in place of its name. */
const words = (command: string, installed: Record<string, string> = {}): Command =>
  command.split(' ').map((word) => installed[word] ?? word) as unknown as Command

/** Makes a client of the document in an empty folder. @returns the command that runs the story with it. */
type Generate = (folder: string) => Promise<Command>

const forPython: Generate = async (folder) => {
  const generator = await installPython(python.name, python.version)
  await mustRun(words(commands.python.generate, { [python.name]: generator }), { cwd: folder })
  return [join(dirname(generator), 'python'), join(folder, 'story.py')]
}

const forGo: Generate = async (folder) => {
  const env = { GOBIN: join(cache, 'go-bin') }
  const { install, generate, build } = commands.go
  await mustRun(words(install), { env, need: needOfGo })
  await mkdir(join(folder, 'asyncjobs'))
  await mustRun(words(generate, { 'oapi-codegen': join(env.GOBIN, 'oapi-codegen') }), { cwd: folder })
  for (const command of build) await mustRun(words(command), { cwd: folder, need: needOfGo })
  await mustRun(['go', 'build', '-o', 'story', '.'], { cwd: folder })
  return [join(folder, 'story')]
}

/** The generator of Java and TypeScript is a Java program, which Maven's repository has. */
async function openapiGenerator(command: string, folder: string): Promise<void> {
  const home = join(cache, `openapi-generator-${generatorVersion}`)
  await mkdir(home, { recursive: true })
  if (!existsSync(join(home, jar))) await mustRun(words(installJar), { cwd: home, need: needOfJava })
  await mustRun(words(command, { [jar]: join(home, jar) }), { cwd: folder, need: needOfJava })
}

const forJava: Generate = async (folder) => {
  await openapiGenerator(commands.java.generate, folder)
  const client = join(folder, 'client')
  const build = ['-q', '-B', '-DskipTests', '-Dmaven.javadoc.skip=true', 'package', 'dependency:copy-dependencies']
  await mustRun(['mvn', ...build], { cwd: client, need: needOfJava })
  const path = [join(client, 'target/classes'), join(client, 'target/dependency/*'), folder].join(':')
  await mustRun(['javac', '-cp', path, '-d', '.', 'Jobs.java', 'Story.java'], { cwd: folder, need: needOfJava })
  return ['java', '-cp', path, 'Story']
}

const forTypeScript: Generate = async (folder) => {
  await openapiGenerator(commands.typescript.generate, folder)
  const options = '--strict --skipLibCheck --target es2022 --module nodenext --typeRoots'.split(' ')
  const tsc = resolve('node_modules/.bin/tsc')
  await mustRun([tsc, ...options, resolve('node_modules/@types'), 'story.mts'], { cwd: folder })
  return [process.execPath, join(folder, 'story.mjs')]
}

const generators: Record<Language, Generate> = {
  python: forPython,
  go: forGo,
  java: forJava,
  typescript: forTypeScript,
}

/** Makes a client of the document in a folder, beside the programs that use it. @returns the command that runs the story. */
export async function generate(language: Language, parent: string): Promise<Command> {
  const folder = join(parent, language)
  await cp(join('test/languages', language), folder, { recursive: true })
  await cp('openapi.yaml', join(folder, 'openapi.yaml'))
  return generators[language](folder)
}
