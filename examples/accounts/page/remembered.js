const key = 'async-jobs.accounts'
const most = 20

/** The jobs that this browser submitted, oldest first. They outlive a reload; an id is all that one needs. */
export function remembered() {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found.filter(isJob) : []
  } catch {
    // No storage, or something else has written to it: then there is nothing to resume.
    return []
  }
}

export function remember(job) {
  write([...remembered(), job].slice(-most))
}

export function forget(jobId) {
  write(remembered().filter((job) => job.jobId !== jobId))
}

function isJob(found) {
  return typeof found?.jobId === 'string' && typeof found.type === 'string'
}

function write(jobs) {
  try {
    localStorage.setItem(key, JSON.stringify(jobs))
  } catch {
    // A browser that keeps nothing only loses the resuming.
  }
}
