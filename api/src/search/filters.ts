import { type ErrorDetail, fieldErrors } from '@proctorpass/shared/errors'
import { LABEL_FIELD } from '@proctorpass/shared/fields/label'
import { parseIso } from '@proctorpass/shared/iso-time'
import { labelKey } from '@proctorpass/shared/label-key'
import { LISTED_STATUSES, type Status } from '@proctorpass/shared/schemas/inbox'
import type { SearchFilters } from '@proctorpass/shared/schemas/search'
import { SEARCH_TAGS, SEARCH_TYPES, type SearchFilter, type SearchType } from '../storage/model/search.ts'

const DAY_MS = 86_400_000
const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAYS_BACK = /^(\d{1,5})d$/

interface Parsed {
  filter: SearchFilter
  /** The tags that a hit has. */
  tags: string[]
}

/**
 * Returns what a search's filters demand. The schema has judged their forms, except for times and labels.
 * @throws an AppError `invalid-input` for a wrong time or label
 */
export function parseFilters(
  filters: SearchFilters,
  { userId, now }: { userId: string; now: number },
): Parsed {
  const { from, after, before, label, status, channel, site, has } = filters
  const wrong: ErrorDetail[] = []
  const timeOf = (field: 'after' | 'before', text: string | undefined) => {
    const time = text === undefined ? undefined : parseTime(text, now)
    if (time === null) wrong.push({ field, message: 'Use a date such as 2026-11-01, or days such as 7d' })
    return time ?? undefined
  }
  const times = { since: timeOf('after', after), until: timeOf('before', before) }
  const labelProblem = label === undefined ? null : LABEL_FIELD.problem(label)
  if (labelProblem !== null) wrong.push({ field: 'label', message: labelProblem })
  if (wrong.length > 0) throw fieldErrors(wrong)
  return {
    filter: {
      types: typesFor(filters),
      statuses: status === undefined ? LISTED_STATUSES : (status.split(',') as Status[]),
      labelKey: label === undefined ? undefined : labelKey(LABEL_FIELD.clean(label)),
      siteId: site === 'own' ? null : site,
      ...times,
    },
    tags: [
      ...(from === undefined ? [] : [authorTag(from, userId)]),
      ...(channel === undefined ? [] : [SEARCH_TAGS[channel]]),
      ...(has === undefined ? [] : [SEARCH_TAGS[has]]),
    ],
  }
}

function authorTag(from: string, userId: string): string {
  return from === 'visitor' ? SEARCH_TAGS.visitor : SEARCH_TAGS.author(from === 'me' ? userId : from)
}

/** Returns what can fit the filters. Only dates apply to contact messages. */
function typesFor({ from, channel, has, label, status, site }: SearchFilters): readonly SearchType[] {
  if (channel !== undefined || has !== undefined) return ['message']
  if (from !== undefined) return ['message', 'note']
  const isOfConversation = label !== undefined || status !== undefined || site !== undefined
  return isOfConversation ? SEARCH_TYPES.filter((type) => type !== 'contact') : SEARCH_TYPES
}

/** Returns the time of an ISO 8601 text, of a day's beginning in UTC, or of some days back. Null for anything else. */
function parseTime(text: string, now: number): number | null {
  const days = DAYS_BACK.exec(text)?.[1]
  if (days !== undefined) return Math.max(0, now - Number(days) * DAY_MS)
  return parseIso(DAY.test(text) ? `${text}T00:00Z` : text)
}
