import { fullTime, useClockText } from '../../chat/view/relative-clock.tsx'
import { inUnits } from '../../chat/view/relative-time.ts'

/** The time since `iso`, such as "4 weeks": in English, for it ends an English phrase. */
export function Elapsed({ since }: { since: string }) {
  const text = useClockText((now) => duration(since, now))
  return (
    <time dateTime={since} title={fullTime(since, 'en')}>
      {text}
    </time>
  )
}

/** "4 weeks": the time from `iso` to `now` (milliseconds). */
export function duration(iso: string, now: number): string {
  const elapsed = now - Date.parse(iso)
  if (elapsed < 60_000) return 'less than a minute'
  const [count, unit] = inUnits(elapsed)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
