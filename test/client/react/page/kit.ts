import { createClient } from '../../../../client/index.ts'
import { createFakeServer, type FakeServer } from '../../../../testing/fake/index.ts'

/** What a test reaches into the page for. */
export interface Kit {
  readonly server: FakeServer
  /** `method path` of each request. */
  readonly requests: string[]
  /** Requests that hold the text wait until it is taken out again. */
  readonly held: Set<string>
  /** Requests that hold the text are answered with 401. */
  readonly refused: Set<string>
  /** Wakes what waits. */
  release(): void
  /** Console errors of React and uncaught rejections would be noticed by the test itself. */
  readonly rejections: string[]
}

declare global {
  interface Window {
    readonly kit: Kit
  }
}

const requests: string[] = []
const held = new Set<string>()
const refused = new Set<string>()
const rejections: string[] = []
let waiting: (() => void)[] = []
const release = (): void => {
  for (const wake of waiting.splice(0)) wake()
}
const includes = (texts: Set<string>, url: string): boolean => [...texts].some((text) => url.includes(text))

const server = createFakeServer({
  types: { accounts: 'manual', other: 'manual' },
  onRequest: async ({ method, url }) => {
    requests.push(`${method} ${new URL(url).pathname}`)
    while (includes(held, `${method} ${url}`)) await new Promise<void>((resolve) => waiting.push(resolve))
    return includes(refused, url) ? new Response(null, { status: 401 }) : undefined
  },
})
window.addEventListener('unhandledrejection', ({ reason }) => rejections.push(String(reason)))
Object.assign(window, { kit: { server, requests, held, refused, release, rejections } satisfies Kit })

export const client = createClient({ baseUrl: 'http://test', fetch: server.fetch })
