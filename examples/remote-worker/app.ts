import { type Application, defineApplication } from 'async-jobs/server'
import { transcode } from './transcode.ts'

/** An application whose work is done by worker.py. */
const application: Application = defineApplication({
  handlers: () => {
    const { PORT = '3000', WORKER_URL = 'http://127.0.0.1:8090' } = process.env
    const { JOBS_URL = `http://127.0.0.1:${PORT}/jobs` } = process.env
    return [transcode({ workerUrl: WORKER_URL, jobsUrl: JOBS_URL })]
  },
  // A worker that says nothing for this long is taken for dead; each report renews it.
  settings: { recovery: { processingTimeout: 'PT1M', scanInterval: 'PT5S' } },
})

export default application
