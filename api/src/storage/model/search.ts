import { aliasOf } from '@proctorpass/shared/alias'
import { STATUSES, type Status } from '@proctorpass/shared/schemas/inbox'
import type { ContactRecord } from './contacts.ts'

/**
 * The version of the terms that the use case makes from a text. When they change, raise it, and let a SQLite migration
 * empty the index. The index is built again in the background. On MongoDB, that includes what an older release's nodes
 * still index.
 */
export const INDEX_VERSION = 3

/** What can be found. A contact message is its own owner; the owner of everything else is its conversation. */
export const SEARCH_TYPES = ['message', 'note', 'visitor', 'contact'] as const

export type SearchType = (typeof SEARCH_TYPES)[number]

/** The terms that a text must have. `beginning` has the beginnings of terms. A search without terms finds every text. */
export interface SearchTerms {
  whole: readonly string[]
  beginning: readonly string[]
}

/** The prefix of a tag: a term that says who wrote a message or a note, how it came, or what it has. No word has it. */
const TAG = '='

export const SEARCH_TAGS = {
  visitor: `${TAG}visitor`,
  chat: `${TAG}chat`,
  mail: `${TAG}mail`,
  file: `${TAG}file`,
  author: (userId: string) => `${TAG}by ${userId}`,
}

export const isTag = (term: string): boolean => term.startsWith(TAG)

/** What a text must be beside having the terms. Undefined fields allow everything. */
export interface SearchFilter {
  types: readonly SearchType[]
  /** The status of the text's conversation. A contact message has no conversation, so only `types` judges it. */
  statuses: readonly Status[]
  /** The key of a label that the conversation has. */
  labelKey?: string | undefined
  /** The conversation's site. Null means our own pages. */
  siteId?: string | null | undefined
  /** The earliest time. */
  since?: number | undefined
  /** The time before which the text was written. */
  until?: number | undefined
}

/** The filter that allows every text. */
export const EVERY_TEXT: SearchFilter = { types: SEARCH_TYPES, statuses: STATUSES }

/** A text that may match, as the store has it now. */
export interface FoundText {
  type: SearchType
  /** A clientId or a contact message's ID. */
  owner: string
  /** A message's seq or a note's `n`, otherwise 0. */
  n: number
  at: number
  text: string
  /** Whether the text is an admin's message, which is shown formatted. */
  formatted: boolean
  /** The name of the conversation's visitor, or null if it is unknown. */
  name: string | null
  /** The place after which a search continues. */
  place: string
}

export interface FoundTexts {
  /** The newest texts first. There may be fewer than `limit` before the end, because some texts are gone. */
  found: FoundText[]
  /** The place where the search continues, or null at the end. */
  next: string | null
  /** Whether the store has read as many entries as one search may, because the filter allows few texts. */
  exhausted: boolean
}

/** The extent to which an owner's texts are indexed. */
export interface IndexProgress {
  epoch: string
  /** Messages up to this seq and notes up to `n` are indexed. */
  seq: number
  n: number
  /** The visitor's text as it is indexed, by which a change is noticed, see `visitorText`. */
  visitor: string
}

/** Returns a visitor's indexed fields: their own and their alias. Empty without messages, as after an erase. */
export function visitorText(
  clientId: string,
  { seq, visitor }: { seq: number; visitor?: { name?: string | null; email?: string | null } | null },
): string {
  if (seq === 0) return ''
  return [visitor?.name, visitor?.email, aliasOf(clientId)].filter(Boolean).join(' · ')
}

/** Returns a contact message's indexed fields. */
export function contactText({
  email,
  title,
  message,
}: Pick<ContactRecord, 'email' | 'title' | 'message'>): string {
  return `${email} · ${title} · ${message}`
}

export interface IndexedText {
  type: SearchType
  n: number
  at: number
  terms: readonly string[]
  /**
   * The former terms of a changed text: of what visitors say about themselves, or of a corrected message. A text without
   * new terms is removed.
   */
  formerTerms?: readonly string[]
}

export interface IndexUpdate extends IndexProgress {
  owner: string
  texts: readonly IndexedText[]
}

/** The place where a search for stale owners continues. */
export interface StaleCursor {
  step: number
  after: string
}

export interface StaleOwners {
  conversations: string[]
  contacts: string[]
  /** The number of owners that were compared. */
  compared: number
  next: StaleCursor | null
}

/** The owners compared in one call, which takes a few milliseconds. */
export const COMPARE_AT_ONCE = 500

/** A comparison reads three lists of owners one after another. */
const STEPS = 3

export const FIRST_STALE: StaleCursor = { step: 0, after: '' }

/** Returns the place where comparing continues after these owners, in the order of their IDs. Null at the end. */
export function staleAfter({ step }: StaleCursor, owners: readonly string[]): StaleCursor | null {
  const last = owners.at(-1)
  if (owners.length === COMPARE_AT_ONCE && last !== undefined) return { step, after: last }
  return step + 1 < STEPS ? { step: step + 1, after: '' } : null
}
