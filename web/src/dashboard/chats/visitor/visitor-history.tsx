import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Visitor } from '@proctorpass/shared/schemas/inbox'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RelativeTime } from '../../../chat/view/relative-clock.tsx'
import { callAsAdmin } from '../../../lib/session.ts'
import { useVisitorOnline } from '../live/admin-chat-context.tsx'
import './visitor-history.css'

/**
 * Shows the card that brought the visitor, the pages that they have seen since the first message, and their ratings,
 * newest first.
 */
export function VisitorHistory({ visitor }: { visitor: Visitor }) {
  return (
    <>
      {visitor.card !== null && <ShownCard id={visitor.card} />}
      {visitor.pages.length > 0 && <Pages visitor={visitor} />}
      {visitor.ratings.length > 0 && <Ratings ratings={visitor.ratings} />}
    </>
  )
}

/** Shows the card's present text. Cards can be changed and deleted. */
function ShownCard({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => callAsAdmin<Settings>(adminPaths.settings, { signal }),
  })
  if (data === undefined) return null
  const text = data.cards.find((card) => card.id === id)?.text
  return (
    <div className="visitor-pages">
      <h3>Card shown before the first message</h3>
      <bdi>{text === undefined ? 'A deleted card' : text.en || text.zh}</bdi>
    </div>
  )
}

const PAGES_SHOWN = 5

function Pages({ visitor: { clientId, online, pages } }: { visitor: Visitor }) {
  const pushed = useVisitorOnline(clientId)
  const [showsAll, setShowsAll] = useState(false)
  const newest = pages.at(-1)
  const shown = showsAll ? pages : pages.slice(-PAGES_SHOWN)
  return (
    <div className="visitor-pages">
      <h3>Pages visited since the first message</h3>
      <ol reversed>
        {shown.toReversed().map((view) => (
          <li key={`${view.at} ${view.path}`}>
            {view.title !== '' && <bdi>{view.title}</bdi>}
            <bdi className="visitor-path">{view.path.replace(/^https?:\/\//, '')}</bdi>
            <span className="visitor-line">
              <RelativeTime iso={view.at} />
              {view === newest && (pushed ?? online)
                ? ' · open now'
                : view.seconds > 0 && ` · ${duration(view.seconds)}`}
            </span>
          </li>
        ))}
      </ol>
      {pages.length > PAGES_SHOWN && (
        <button type="button" className="link-button" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer' : `Show all ${pages.length}`}
        </button>
      )}
    </div>
  )
}

/** Returns a time such as "45 s", "3 min", or "2 h 5 min". */
function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const rest = minutes % 60
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`
}

function Ratings({ ratings }: { ratings: Visitor['ratings'] }) {
  return (
    <div className="visitor-ratings">
      <h3>Ratings</h3>
      <ul>
        {ratings.map(({ at, score, words }) => (
          <li key={at}>
            <span>{score} of 5</span> · <RelativeTime iso={at} />
            {words !== null && (
              <p>
                <bdi>{words}</bdi>
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
