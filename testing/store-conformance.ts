import { cancelling } from './store/cancelling.ts'
import { claiming } from './store/claiming.ts'
import { ending } from './store/ending.ts'
import { fencing } from './store/fencing.ts'
import { leasing } from './store/leasing.ts'
import { purging } from './store/purging.ts'
import { reading } from './store/reading.ts'
import { recovering } from './store/recovering.ts'
import { reporting } from './store/reporting.ts'
import { reusing } from './store/reusing.ts'
import { type OpenedStore, Scene } from './store/scene.ts'
import { submitting } from './store/submitting.ts'
import { transacting } from './store/transacting.ts'

export type { OpenedStore } from './store/scene.ts'

/** One behaviour that every store must have. */
export interface Check {
  readonly name: string
  /** Rejects with an AssertionError when the store behaves otherwise. */
  readonly run: () => Promise<void>
}

const behaviours = {
  ...submitting,
  ...reusing,
  ...reading,
  ...cancelling,
  ...claiming,
  ...ending,
  ...fencing,
  ...leasing,
  ...recovering,
  ...reporting,
  ...purging,
  ...transacting,
}

/**
 * What the rest of the server relies on in a store, for any test framework:
 * `for (const { name, run } of storeConformance(open)) it(name, run)`.
 * @param open opens the store for one check. All may share one database, empty or not: each uses job types of its own.
 * Purging alone knows no types: the database must hold no ended jobs that are dear to anyone, and checks run one by one.
 */
export function storeConformance(open: () => Promise<OpenedStore>): readonly Check[] {
  return Object.entries(behaviours).map(([name, check]) => ({
    name,
    run: async () => {
      const { store, close } = await open()
      try {
        await check(new Scene(store))
      } finally {
        await close()
      }
    },
  }))
}
