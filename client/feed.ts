import { Channel, type ChannelSettings, type Listener } from './channel.ts'

/** How many jobs one stream may be asked for (`maxItems` of the document). */
const jobsPerStream = 200

/**
 * The event streams of a client: one for up to 200 jobs, whoever waits for them; or one for each job where the server
 * does not have the operation.
 */
export class Feed {
  readonly #settings: ChannelSettings
  readonly #channels = new Set<Channel>()
  #many = true

  constructor(settings: ChannelSettings) {
    this.#settings = settings
  }

  /** Listens to a job, until it has ended or what is returned is called. */
  join(jobId: string, listener: Listener): () => void {
    const room = this.#many ? jobsPerStream : 1
    const all = [...this.#channels]
    const channel = all.find((one) => one.has(jobId)) ?? all.find((one) => one.size < room) ?? this.#open()
    channel.add(jobId, listener)
    return () => {
      // It may have moved meanwhile.
      for (const one of this.#channels) one.remove(jobId, listener)
    }
  }

  #open(): Channel {
    const channel = new Channel(this.#settings, this.#many)
    this.#channels.add(channel)
    void channel.run().then((refugees) => {
      this.#channels.delete(channel)
      if (refugees.length > 0) this.#many = false
      for (const [jobId, listener] of refugees) this.join(jobId, listener)
    })
    return channel
  }
}
