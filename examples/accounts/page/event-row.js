import { text } from './text.js'

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** One event of a job as a row of the table. */
export function eventRow({ event, data }) {
  const percent = data.percentComplete ?? null
  const time = text('time', clock.format(new Date(data.lastUpdatedAt)))
  time.dateTime = data.lastUpdatedAt
  time.title = data.lastUpdatedAt
  const when = document.createElement('td')
  when.append(time)
  const row = document.createElement('tr')
  row.append(
    text('td', data.version, 'number'),
    text('td', event),
    text('td', percent === null ? '–' : `${percent} %`, 'number'),
    when,
  )
  return row
}
