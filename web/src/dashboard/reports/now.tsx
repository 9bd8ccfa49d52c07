import { adminPaths } from '@proctorpass/shared/admin-paths'
import { durationText, shown } from '@proctorpass/shared/duration-text'
import type { Now } from '@proctorpass/shared/schemas/report'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useClockText } from '../../chat/view/relative-clock.tsx'
import { fullTime } from '../../chat/view/relative-time.ts'
import { pageState } from '../../lib/page-state.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { LoadFailed } from '../ui/loading.tsx'
import { isRefused } from '../ui/query-client.ts'
import { Card } from './card.tsx'
import { useToday } from './report-filters.tsx'
import { countText, nowText, waitedText, weekdayText } from './report-text.ts'
import { VisitorLink } from './tables.tsx'

/** The list folds more waiting conversations. */
const FIRST_SHOWN = 6
/** Changes within this time are announced together, so that a busy hour does not talk all the time. */
const QUIET_MS = 5_000

const NOW_KEY = ['reports', 'now']

/** Tells the page when the data that it shows has changed. */
export interface NowSource {
  /** Calls the listener after each pushed change. */
  onNow: (listener: () => void) => () => void
  /** Whether facts arrive because the connection is up. */
  isPushed: boolean
  /** Whether a timer reads the server because nothing is pushed. */
  isPolled: boolean
}

/** Shows waiting visitors, open conversations, online admins, and today's first waits. */
export function NowPart({ data, error, refetch }: ReturnType<typeof useNow>) {
  return (
    <section className="report-now" aria-labelledby="report-now">
      <h2 id="report-now">Now</h2>
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data && <Figures data={data} />}
    </section>
  )
}

function Figures({ data }: { data: Now }) {
  const { count, conversations } = data.waiting
  const more = conversations.slice(FIRST_SHOWN)
  return (
    <>
      <Announcement text={nowText(data)} />
      <ul className="report-cards" aria-label="Current figures">
        <Waiting waiting={data.waiting} />
        <Card
          label="Open"
          value={data.open}
          note="conversations"
          definition="All open conversations, answered or not. Snoozed conversations aren't open."
        />
        <Card
          label="Visitors online"
          value={data.visitorsOnline}
          note={data.visitorsOnline === null ? 'unknown' : 'with a conversation'}
          definition="Visitors who have sent a message and have one of our pages open."
        />
        <Card label="Admins online" value={data.adminsOnline} definition="Admins with an open dashboard." />
        <Card
          label="On duty"
          value={data.onDuty}
          note={data.onDuty === 0 ? 'no one is notified' : undefined}
          definition="Admins who are notified about messages, online or not. Each admin sets this under Account."
        />
        <FirstWait firstWait={data.firstWait} />
      </ul>
      <div className="report-waiting">
        {count === 0 && <p>No one is waiting for an answer.</p>}
        {count > 0 && <p className="report-note">Waiting longest</p>}
        <WaitingList conversations={conversations.slice(0, FIRST_SHOWN)} />
        {more.length > 0 && (
          <details>
            <summary>{count - FIRST_SHOWN} more</summary>
            <WaitingList conversations={more} />
            {count > conversations.length && (
              <p>
                The {conversations.length} waiting longest. <Link to="/dashboard/chats">Show all</Link>
              </p>
            )}
          </details>
        )}
      </div>
    </>
  )
}

/** Reads the data again after each pushed change, and when a day begins. */
export function useNow({ onNow, isPushed, isPolled }: NowSource) {
  const queryClient = useQueryClient()
  const wasPushed = useRef(isPushed)
  useEffect(
    () => onNow(() => void queryClient.invalidateQueries({ queryKey: NOW_KEY })),
    [onNow, queryClient],
  )
  useEffect(() => {
    // Facts may have been missed while the connection was down.
    if (isPushed && !wasPushed.current) void queryClient.invalidateQueries({ queryKey: NOW_KEY })
    wasPushed.current = isPushed
  }, [isPushed, queryClient])
  const now = useQuery({
    queryKey: NOW_KEY,
    queryFn: ({ signal }) => callAsAdmin<Now>(adminPaths.reportNow, { signal }),
    refetchInterval: ({ state }) =>
      isPolled && !isRefused(state.error) && pageState().config.chat.unreadPollMs,
  })
  const firstWait = now.data?.firstWait
  const today = useToday(firstWait?.zone)
  const isOfBefore = firstWait !== undefined && firstWait.date < today
  useEffect(() => {
    // The server pushes no fact at midnight.
    if (isOfBefore) void queryClient.invalidateQueries({ queryKey: NOW_KEY })
  }, [isOfBefore, queryClient])
  return now
}

function Waiting({ waiting: { count, longestSince: since } }: Pick<Now, 'waiting'>) {
  const longest = useClockText((at) => (since === null ? '' : `longest ${waitedText(since, at)}`))
  return (
    <Card
      label="Waiting"
      value={count}
      note={longest}
      definition="Conversations with a visitor message that no person has answered. Automatic messages don’t count as an answer. Snoozing doesn’t pause the clock; resolving stops it."
    />
  )
}

function FirstWait({ firstWait }: Pick<Now, 'firstWait'>) {
  return (
    <Card
      label="First response today"
      value={durationText(shown(firstWait, 'median'))}
      note={weekdayText(firstWait)}
      count={countText(firstWait.n, 'answer')}
      definition={`The median time from the visitor’s message that opens or reopens a conversation until a person answers, for conversations opened and answered today (${firstWait.zone}). Compared with the same weekday in the previous four weeks. Shown once there are five answers.`}
    />
  )
}

function WaitingList({ conversations }: Pick<Now['waiting'], 'conversations'>) {
  if (conversations.length === 0) return null
  return (
    <ol aria-label="Waiting longest">
      {conversations.map(({ clientId, name, since }) => (
        <li key={clientId}>
          <VisitorLink clientId={clientId} name={name} /> <Since since={since} />
        </li>
      ))}
    </ol>
  )
}

function Since({ since }: { since: string }) {
  const text = useClockText((at) => waitedText(since, at))
  return (
    <time dateTime={since} title={`Since ${fullTime(since, 'en')}`}>
      {text}
    </time>
  )
}

/** Announces changes of the text to screen readers, but not the first text. */
function Announcement({ text }: { text: string }) {
  const [announced, setAnnounced] = useState(text)
  const announce = useEffectEvent(() => setAnnounced(text))
  const differs = text !== announced
  useEffect(() => {
    if (!differs) return
    const timer = setTimeout(announce, QUIET_MS)
    return () => clearTimeout(timer)
  }, [differs])
  return (
    <p role="status" className="visually-hidden">
      {announced}
    </p>
  )
}
