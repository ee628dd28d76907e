import { randomUUID } from 'node:crypto'
import type { Store } from '../store/port.ts'
import type { Telemetry } from '../telemetry.ts'
import { Loop } from './loop.ts'

export interface LeaseOptions {
  readonly store: Pick<Store, 'registerWorker' | 'renewWorker' | 'removeWorker'>
  readonly telemetry: Telemetry
  /** Shown to people who look into the table. */
  readonly name: string
  readonly leaseMs: number
  readonly heartbeatMs: number
  /** The lease has run out: whatever runs here may run elsewhere too. @returns how many attempts were aborted. */
  onLost(): number
  /** After each heartbeat. */
  onBeat(): Promise<void>
}

/**
 * The one row per process that keeps its jobs leased. The database's clock decides whether it lives. One heartbeat is
 * one small UPDATE, however many jobs run.
 */
export class Lease {
  readonly #options: LeaseOptions
  readonly #loop: Loop
  #workerId: string | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#loop = new Loop(
      () => this.#beat(),
      (error) => options.telemetry.emit('database:error', { during: 'heartbeat', error }),
    )
  }

  /** The id that claims carry; undefined while there is no lease. */
  get workerId(): string | undefined {
    return this.#workerId
  }

  /** Resolves when the lease has begun. */
  async start(): Promise<void> {
    await this.#register()
    this.#loop.start()
  }

  /** @param release ends the lease at once; otherwise it runs out, as it must while a handler still runs. */
  async stop(release: boolean): Promise<void> {
    await this.#loop.stop()
    const id = this.#workerId
    this.#workerId = undefined
    if (!release || id === undefined) return
    const { store, telemetry } = this.#options
    // Without the database the lease runs out by itself, and the process must stop all the same.
    await store.removeWorker(id).catch((error: unknown) => {
      telemetry.emit('database:error', { during: 'end of the lease', error })
    })
  }

  async #register(): Promise<void> {
    const id = randomUUID()
    await this.#options.store.registerWorker({ id, name: this.#options.name, leaseMs: this.#options.leaseMs })
    this.#workerId = id
  }

  async #beat(): Promise<number> {
    const { store, telemetry, leaseMs, heartbeatMs } = this.#options
    const id = this.#workerId
    if (id !== undefined && !(await store.renewWorker(id, leaseMs))) {
      this.#workerId = undefined
      telemetry.emit('worker:lease-lost', { workerId: id, aborted: this.#options.onLost() })
    }
    if (this.#workerId === undefined) await this.#register()
    await this.#options.onBeat()
    return heartbeatMs
  }
}
