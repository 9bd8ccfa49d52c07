import { ADDRESSES, openAddresses } from './addresses.ts'
import { ANSWERS, openAnswers } from './answers.ts'
import { API_KEYS, openApiKeys } from './api-keys.ts'
import { AUDIT } from './audit.ts'
import { BLOGS } from './blogs.ts'
import { CHALLENGES, openChallenges } from './challenges.ts'
import { CONTACTS } from './contacts.ts'
import { DOCUMENTS, openDocuments } from './documents.ts'
import { DELIVERIES, ENDPOINTS, openDeliveries, openEndpoints, openRetries, RETRIES } from './endpoints.ts'
import { EVENTS } from './events.ts'
import { LANGUAGES, openLanguages } from './languages.ts'
import { LINKS, openLinks } from './links.ts'
import { MAILS, openMails } from './mails.ts'
import type { PlainTable, Rows } from './plain-table.ts'
import { openPreviewLinks, PREVIEW_LINKS } from './preview-links.ts'
import { IDENTITIES, openIdentities, openRemembered, REMEMBERED } from './remembered.ts'
import { openReplies, REPLIES } from './replies.ts'
import { KEPT_FIGURES } from './reports/report-tables.ts'
import { openSavedSearches, SAVED_SEARCHES } from './saved-searches.ts'
import { openSessions, SESSIONS } from './sessions.ts'
import { openSites, SITES } from './sites.ts'
import { openSubscriptions, SUBSCRIPTIONS } from './subscriptions.ts'
import { openSuggestions, SUGGESTION_COUNTS } from './suggestions.ts'
import { openTexts, TEXTS } from './texts.ts'
import { USERS } from './users.ts'
import { openVersions, PICTURES, VERSIONS } from './versions.ts'

/** All plain tables by name. Backup, restore, and migrate copy each of them. */
export const PLAIN_TABLES = {
  users: USERS,
  sessions: SESSIONS,
  blogs: BLOGS,
  challenges: CHALLENGES,
  contacts: CONTACTS,
  replies: REPLIES,
  documents: DOCUMENTS,
  addresses: ADDRESSES,
  answers: ANSWERS,
  subscriptions: SUBSCRIPTIONS,
  links: LINKS,
  sites: SITES,
  apiKeys: API_KEYS,
  events: EVENTS,
  endpoints: ENDPOINTS,
  retries: RETRIES,
  deliveries: DELIVERIES,
  audit: AUDIT,
  mails: MAILS,
  identities: IDENTITIES,
  remembered: REMEMBERED,
  keptFigures: KEPT_FIGURES,
  suggestionCounts: SUGGESTION_COUNTS,
  previewLinks: PREVIEW_LINKS,
  savedSearches: SAVED_SEARCHES,
  texts: TEXTS,
  versions: VERSIONS,
  pictures: PICTURES,
  languages: LANGUAGES,
} as const

/** Opens the repositories that need only their table's rows from an adapter. */
export function openPlainRepositories(plain: <Row extends object>(table: PlainTable<Row>) => Rows<Row>) {
  return {
    sessions: openSessions(plain(SESSIONS)),
    replies: openReplies(plain(REPLIES)),
    documents: openDocuments(plain(DOCUMENTS)),
    addresses: openAddresses(plain(ADDRESSES)),
    answers: openAnswers(plain(ANSWERS)),
    challenges: openChallenges(plain(CHALLENGES)),
    links: openLinks(plain(LINKS)),
    endpoints: openEndpoints(plain(ENDPOINTS)),
    retries: openRetries(plain(RETRIES)),
    deliveries: openDeliveries(plain(DELIVERIES)),
    apiKeys: openApiKeys(plain(API_KEYS)),
    mails: openMails(plain(MAILS)),
    subscriptions: openSubscriptions(plain(SUBSCRIPTIONS)),
    sites: openSites(plain(SITES)),
    identities: openIdentities(plain(IDENTITIES)),
    remembered: openRemembered(plain(REMEMBERED)),
    suggestions: openSuggestions(plain(SUGGESTION_COUNTS)),
    previewLinks: openPreviewLinks(plain(PREVIEW_LINKS)),
    savedSearches: openSavedSearches(plain(SAVED_SEARCHES)),
    texts: openTexts(plain(TEXTS)),
    versions: openVersions(plain(VERSIONS), plain(PICTURES)),
    languages: openLanguages(plain(LANGUAGES)),
  }
}

export type PlainTableName = keyof typeof PLAIN_TABLES

export type PlainRows = {
  [N in PlainTableName]: (typeof PLAIN_TABLES)[N] extends PlainTable<infer Row> ? Row : never
}

type AnyTable = PlainTable<Record<string, unknown>>

/** The plain tables for code that treats them alike. */
const tables = new Map(Object.entries(PLAIN_TABLES)) as unknown as ReadonlyMap<string, AnyTable>

/** Returns the plain table with this name, or null. */
export function plainTable(name: string): AnyTable | null {
  return tables.get(name) ?? null
}

/** Returns the fields that a table's rows have in copies. */
export function copiedFields({ fields, derived = [] }: AnyTable): AnyTable['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !derived.includes(field)))
}

/** Calls `of` for each plain table, and returns the results by name. */
export function ofPlainTables<Value>(of: (table: AnyTable) => Value): Record<PlainTableName, Value> {
  return Object.fromEntries([...tables].map(([name, table]) => [name, of(table)])) as Record<
    PlainTableName,
    Value
  >
}
