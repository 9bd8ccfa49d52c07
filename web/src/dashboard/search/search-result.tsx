import { aliasOf } from '@proctorpass/shared/alias'
import type { SearchHit } from '@proctorpass/shared/schemas/search'
import { Link } from 'react-router'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'

const TYPES: Record<SearchHit['type'], string> = {
  message: 'Message',
  note: 'Note',
  visitor: 'Visitor',
  contact: 'Contact',
}

export function SearchResult({ hit }: { hit: SearchHit }) {
  const { type, clientId, name, at, snippet } = hit
  return (
    <li className="search-hit" data-type={type}>
      <Link to={addressOf(hit)}>
        <span className="search-hit-head">
          <span className="search-hit-name">
            {clientId === undefined ? 'Contact form' : (name ?? aliasOf(clientId))}
          </span>{' '}
          <span className="search-hit-type">{TYPES[type]}</span> <RelativeTime iso={at} />
        </span>{' '}
        <bdi className="search-hit-text">
          {snippet.map(({ text, match }, index) => (match ? <mark key={index}>{text}</mark> : text))}
        </bdi>
      </Link>
    </li>
  )
}

function addressOf({ clientId, contactId, seq, n }: SearchHit): string {
  if (clientId === undefined) return `/dashboard/contacts?contact=${contactId}`
  const conversation = `/dashboard/messages/${clientId}`
  if (seq !== undefined) return `${conversation}?seq=${seq}`
  return n === undefined ? conversation : `${conversation}?n=${n}`
}
