export { startEmbeddedPostgres } from './launcher.ts'
export type { EmbeddedPostgres } from './launcher.ts'
