export { type CheckedFetchOptions, checkedFetch, type Fetch } from './contract/checked-fetch.ts'
export {
  checkEvent,
  type CheckedResponse,
  checkResponse,
  ContractError,
  type SentEvent,
} from './contract/check-response.ts'
export { type Check, type OpenedStore, storeConformance } from './store-conformance.ts'
