import type { PostState } from '@proctorpass/shared/post-states'
import type { BlogSummary } from '@proctorpass/shared/schemas/blog'
import { useEffect, useState } from 'react'
import { serverNow } from '../../lib/server-clock.ts'

const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const TIME = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Returns a time on the admin's clock, such as "Nov 28, 2026, 9:00 AM". */
export function shownTime(iso: string): string {
  return TIME.format(new Date(iso))
}

/** Returns the day of a time on the admin's clock, such as "Nov 28, 2026". */
export function shownDay(iso: string): string {
  return DAY.format(new Date(iso))
}

/** Returns a post's state, which changes by itself when a scheduled post's time comes. */
export function useStateNow({ state, publishAt }: Pick<BlogSummary, 'state' | 'publishAt'>): PostState {
  const [now, setNow] = useState(serverNow)
  const at = state === 'scheduled' && publishAt !== null ? Date.parse(publishAt) : null
  useEffect(() => {
    if (at === null || at <= now) return
    const timer = setTimeout(() => setNow(serverNow()), Math.min(at - serverNow(), LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  }, [at, now])
  return at !== null && at <= now ? 'published' : state
}

const WORDS = { draft: 'Draft', scheduled: 'Scheduled', published: 'Published' } as const
const TONES = { draft: 'grey', scheduled: 'blue', published: 'green' } as const

export function StateChip({ state }: { state: PostState }) {
  return (
    <span className="chip" data-tone={TONES[state]}>
      {WORDS[state]}
    </span>
  )
}
