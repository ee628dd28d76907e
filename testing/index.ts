export { type Check, type OpenedStore, storeConformance } from './store-conformance.ts'
