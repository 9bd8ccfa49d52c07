import type { PostState } from '@proctorpass/shared/post-states'
import type { BlogSummary } from '@proctorpass/shared/schemas/blog'
import { useEffect, useState } from 'react'
import { serverNow } from '../../lib/server-clock.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

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
