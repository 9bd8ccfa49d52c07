import { ArrowDown, ArrowUp, CircleUser, Lock, Mail, MessageSquareText } from 'virtual:icons'
import { aliasOf } from '@proctorpass/shared/alias'
import type { SearchHit } from '@proctorpass/shared/schemas/search'
import { type KeyboardEvent, useRef } from 'react'
import { Link, useSearchParams } from 'react-router'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { Icon } from '../../components/icon.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { typedSearch } from '../ui/search-query.ts'
import { useCommands } from '../ui/shortcuts.ts'
import { SaveSearch } from './save-search.tsx'
import { SearchFilters } from './search-filters.tsx'
import { useNamedFilters } from './use-named-filters.ts'
import { type SearchResults, useSearch } from './use-search.ts'
import './search.css'

export function SearchPage() {
  const [parameters] = useSearchParams()
  const query = parameters.get('q')?.trim() ?? ''
  const search = typedSearch(query, parameters)
  const isEmpty = search.size === 0
  const { search: named, names } = useNamedFilters(search)
  const results = useSearch(isEmpty ? null : named)
  const page = useRef<HTMLElement>(null)

  /** Moves the focus between the field and the results. Without either, the first result gets it. */
  function move(from: Element | null, step: 1 | -1): boolean {
    const stops = [
      ...(page.current?.querySelectorAll<HTMLElement>('input[type="search"], .search-hit a') ?? []),
    ]
    const at = stops.indexOf(from as HTMLElement)
    const next = at === -1 ? stops[step] : stops[at + step]
    next?.focus()
    return next !== undefined
  }

  function handleArrows(event: KeyboardEvent<HTMLElement>): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (!(event.target as Element).matches('select') && move(event.target as Element, step))
      event.preventDefault()
  }

  useCommands([
    { label: 'Next result', icon: ArrowDown, keys: 'j', run: () => void move(document.activeElement, 1) },
    { label: 'Previous result', icon: ArrowUp, keys: 'k', run: () => void move(document.activeElement, -1) },
  ])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move the focus between its items
    <section className="dashboard-page dashboard-page-full search-page" ref={page} onKeyDown={handleArrows}>
      <PageHeading actions={<SearchField query={query} filters={search} focused={isEmpty} />}>
        Search
      </PageHeading>
      <SearchFilters search={search} names={names}>
        {!isEmpty && named !== null && <SaveSearch search={named} />}
      </SearchFilters>
      {isEmpty ? (
        <EmptyState message="Search messages, notes, visitors, and contacts">
          Results contain every word. The last word may be incomplete. Put a phrase in quotes, for example
          "exam tomorrow". Filters narrow a search: type from:visitor, after:7d, or label:refund, or add one
          above.
        </EmptyState>
      ) : (
        <Results
          query={query || 'these filters'}
          isNarrow={search.size > (query === '' ? 0 : 1)}
          results={results}
        />
      )}
    </section>
  )
}

interface ResultsProps {
  query: string
  /** Whether the search has filters. */
  isNarrow: boolean
  results: SearchResults
}

function Results({ query, isNarrow, results }: ResultsProps) {
  const { hits, indexing, error, isSearching, isLoadingMore, hasMore, loadMore, retry } = results
  return (
    <>
      <p className="search-status" role="status">
        {isSearching ? 'Searching...' : error ? '' : statusOf(hits.length, hasMore)}
      </p>
      {indexing && (
        <p className="work-note">The search index is being built, so older results may be missing.</p>
      )}
      {error && <LoadFailed error={error} onRetry={retry} />}
      <ol className="search-results" aria-label={`Results for ${query}`} aria-busy={isSearching}>
        {hits.map((hit) => (
          <SearchResult key={`${hit.type} ${hit.clientId ?? hit.contactId} ${hit.seq ?? hit.n}`} hit={hit} />
        ))}
      </ol>
      {!isSearching && !error && hits.length === 0 && !hasMore && (
        <EmptyState
          message={
            isNarrow
              ? 'Check the spelling, or remove a filter.'
              : 'Check the spelling, or search for fewer words.'
          }
        >
          Each word needs a letter or a digit.
        </EmptyState>
      )}
      {hasMore && (
        <button type="button" className="button search-more" aria-disabled={isLoadingMore} onClick={loadMore}>
          {isLoadingMore ? 'Searching...' : 'Older results'}
        </button>
      )}
    </>
  )
}

function statusOf(count: number, hasMore: boolean): string {
  if (count === 0) return hasMore ? 'No results so far' : 'Nothing found'
  if (hasMore) return `The newest ${count === 1 ? 'result' : `${count} results`}`
  return count === 1 ? '1 result' : `${count} results`
}

const TYPES: Record<SearchHit['type'], { label: string; icon: string; tone?: string }> = {
  message: { label: 'Message', icon: MessageSquareText },
  note: { label: 'Note', icon: Lock, tone: 'amber' },
  visitor: { label: 'Visitor', icon: CircleUser },
  contact: { label: 'Contact', icon: Mail },
}

export function SearchResult({ hit }: { hit: SearchHit }) {
  const { type, clientId, name: given, at, snippet } = hit
  const { label, icon, tone } = TYPES[type]
  const name = given ?? (clientId === undefined ? null : aliasOf(clientId))
  return (
    <li className="search-hit">
      <Link to={addressOf(hit)}>
        {clientId !== undefined && name !== null ? (
          <Avatar clientId={clientId} name={name} />
        ) : (
          <span className="search-hit-form">
            <Icon of={icon} />
          </span>
        )}
        <bdi className="search-hit-name">{clientId === undefined ? 'Contact form' : name}</bdi>{' '}
        <bdi className="search-hit-text">
          {snippet.length === 0
            ? 'File without words'
            : snippet.map(({ text, match }, index) => (match ? <mark key={index}>{text}</mark> : text))}
        </bdi>{' '}
        <span className="chip" data-tone={tone}>
          <Icon of={icon} />
          {label}
        </span>{' '}
        <RelativeTime iso={at} />
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
