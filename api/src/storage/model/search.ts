import { aliasOf } from '@proctorpass/shared/alias'
import type { ContactRecord } from './contacts.ts'

/**
 * The version of the terms that the use case makes of a text. When they change, raise it, and let a migration of SQLite empty the index:
 * it is built again in the background, on MongoDB also what nodes of an older release go on to index.
 */
export const INDEX_VERSION = 2

/** What can be found. The owner of a contact is itself; that of everything else is its conversation. */
export const SEARCH_TYPES = ['message', 'note', 'visitor', 'contact'] as const

export type SearchType = (typeof SEARCH_TYPES)[number]

/** A text has all of these terms, the last ones as the beginnings of terms. */
export interface SearchTerms {
  whole: readonly string[]
  beginning: readonly string[]
}

/** A text that may match, as the store has it now. */
export interface FoundText {
  type: SearchType
  /** A clientId, or the id of a contact. */
  owner: string
  /** The seq of a message, the `n` of a note, else 0. */
  n: number
  at: number
  text: string
  /** What the visitor of the conversation is called; null when they have not said. */
  name: string | null
  /** Where a search continues behind it. */
  place: string
}

export interface FoundTexts {
  /** Newest first; fewer than `limit` also where texts are gone. */
  found: FoundText[]
  /** Continues behind the last one; null at the end. */
  next: string | null
}

/** How much of an owner is indexed. */
export interface IndexProgress {
  epoch: string
  /** Messages up to this seq, notes up to this `n`. */
  seq: number
  n: number
  /** The text of the visitor, as it is indexed, to notice that it changed: see `visitorText`. */
  visitor: string
}

/** The indexed fields of a visitor: their own, and their alias. Empty without messages, as after an erase. */
export function visitorText(
  clientId: string,
  { seq, visitor }: { seq: number; visitor?: { name?: string | null; email?: string | null } | null },
): string {
  if (seq === 0) return ''
  return [visitor?.name, visitor?.email, aliasOf(clientId)].filter(Boolean).join(' · ')
}

/** The indexed fields of a contact message. */
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
  /** Those it had before, when it has changed: only what visitors say does. Without new terms its entry is removed. */
  formerTerms?: readonly string[]
}

export interface IndexUpdate extends IndexProgress {
  owner: string
  texts: readonly IndexedText[]
}

/** Where a search for stale owners continues. */
export interface StaleCursor {
  step: number
  after: string
}

export interface StaleOwners {
  conversations: string[]
  contacts: string[]
  /** How many owners were compared. */
  compared: number
  next: StaleCursor | null
}

/** Owners compared in one call, some milliseconds. */
export const COMPARE_AT_ONCE = 500

/** A comparison reads three lists of owners, one after the other. */
const STEPS = 3

export const FIRST_STALE: StaleCursor = { step: 0, after: '' }

/** Where comparing continues after these owners, in order of their ids; null at the end. */
export function staleAfter({ step }: StaleCursor, owners: readonly string[]): StaleCursor | null {
  const last = owners.at(-1)
  if (owners.length === COMPARE_AT_ONCE && last !== undefined) return { step, after: last }
  return step + 1 < STEPS ? { step: step + 1, after: '' } : null
}
