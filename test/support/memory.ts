import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What is in use once the garbage is gone, in bytes. */
export function memoryInUse(): NodeJS.MemoryUsage {
  collectGarbage()
  return process.memoryUsage()
}
