import { useClockText } from '../../../chat/view/relative-clock.tsx'
import { fullTime, inUnits } from '../../../chat/view/relative-time.ts'

/** Shows the time since `iso`, such as "8m". Screen readers get "8 minutes", and the title has the full time. */
export function Elapsed({ since }: { since: string }) {
  const text = useClockText((now) => duration(since, now))
  return (
    <time dateTime={since} title={fullTime(since, 'en')}>
      <span aria-hidden="true">{shortened(text)}</span> <span className="visually-hidden">{text}</span>
    </time>
  )
}

/** Returns the time from `iso` to `now` (milliseconds), such as "4 weeks". */
export function duration(iso: string, now: number): string {
  const elapsed = now - Date.parse(iso)
  if (elapsed < 60_000) return 'less than a minute'
  const [count, unit] = inUnits(elapsed)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Returns "4w" for "4 weeks", and "now" for less than a minute. */
export function shortened(text: string): string {
  return text.startsWith('less') ? 'now' : text.replace(/ (mo|.).*/, '$1')
}
