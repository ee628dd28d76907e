import { createRequire } from 'node:module'
import { PrismaPg } from '@prisma/adapter-pg'
import { getPrismaClient } from '@prisma/client/runtime/client'

const load = createRequire(import.meta.url)
const compiler = '@prisma/client/runtime/query_compiler_fast_bg.postgresql'

/**
 * The client that `prisma generate` makes of a schema without models. It is put together here because the generator
 * needs a newer Node than these tests run on, and fetches a binary that raw statements have no use for.
 */
const PrismaClient = getPrismaClient({
  previewFeatures: [],
  clientVersion: '7.10.0',
  engineVersion: '0edf323efd1d98336f3f0a68684b56f689b900d3',
  activeProvider: 'postgresql',
  inlineSchema: 'datasource db {\n  provider = "postgresql"\n}\n',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  // Three counts of zero: no inputs, no outputs, no roots.
  parameterizationSchema: { strings: [], graph: 'AAAA' },
  compilerWasm: {
    getRuntime: async () => load(`${compiler}.js`) as never,
    getQueryCompilerWasmModule: async () => {
      const { wasm } = load(`${compiler}.wasm-base64.js`) as { wasm: string }
      return new WebAssembly.Module(Buffer.from(wasm, 'base64'))
    },
    importName: './query_compiler_fast_bg.js',
  },
})

export type PrismaLevel = 'ReadCommitted' | 'RepeatableRead' | 'Serializable'

/** What the generated types say of the parts that the tests use. */
interface Prisma {
  $transaction<Result>(
    work: (trx: {
      $queryRawUnsafe<Rows = unknown>(query: string, ...values: unknown[]): Promise<Rows>
    }) => Promise<Result>,
    options: { isolationLevel: PrismaLevel },
  ): Promise<Result>
  $disconnect(): Promise<void>
}

/** A Prisma client with a pool of its own. */
export function prismaOf(url: string): Prisma {
  return new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
}
