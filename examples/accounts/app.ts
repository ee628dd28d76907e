import { type Application, defineApplication } from 'async-jobs/server'
import { prepareAccounts, readSummary } from './accounts.ts'
import { createHandlers } from './handlers.ts'
import { servePage } from './serve-page.ts'

/** The application that `npm start` runs: it re-evaluates accounts, and shows its jobs on a page. */
const application: Application = defineApplication({
  prepare: ({ pool }) => prepareAccounts(pool),
  handlers: createHandlers,
  settings: {
    // Shorter than the defaults, so that one can watch what follows a restart and a crash.
    processing: { lease: 'PT10S', stopGrace: 'PT2S' },
    recovery: { scanInterval: 'PT5S' },
  },
  routes: (app, { pool }) => {
    app.get('/accounts/summary', async (_req, res) => {
      const summary = await readSummary(pool).catch(() => undefined)
      res.set('Cache-Control', 'no-store')
      if (summary !== undefined) {
        res.json(summary)
        return
      }
      const problem = { type: 'about:blank', title: 'The accounts cannot be read now', status: 503 }
      res.status(503).type('application/problem+json').send(JSON.stringify(problem))
    })
    servePage(app)
  },
})

export default application
