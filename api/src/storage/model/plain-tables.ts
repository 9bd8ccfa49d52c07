import { ADDRESSES } from './addresses.ts'
import { ANSWERS } from './answers.ts'
import { API_KEYS } from './api-keys.ts'
import { AUDIT } from './audit.ts'
import { BLOGS } from './blogs.ts'
import { CHALLENGES } from './challenges.ts'
import { CONTACTS } from './contacts.ts'
import { DOCUMENTS } from './documents.ts'
import { DELIVERIES, ENDPOINTS, RETRIES } from './endpoints.ts'
import { EVENTS } from './events.ts'
import { LINKS } from './links.ts'
import { MAILS } from './mails.ts'
import type { PlainTable } from './plain-table.ts'
import { IDENTITIES, REMEMBERED } from './remembered.ts'
import { REPLIES } from './replies.ts'
import { KEPT_FIGURES } from './reports/report-tables.ts'
import { SESSIONS } from './sessions.ts'
import { SITES } from './sites.ts'
import { SUBSCRIPTIONS } from './subscriptions.ts'
import { SUGGESTION_COUNTS } from './suggestions.ts'
import { USERS } from './users.ts'

/** All of them by name. Backup, restore and migration copy each. */
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
} as const

export type PlainTableName = keyof typeof PLAIN_TABLES

export type PlainRows = {
  [N in PlainTableName]: (typeof PLAIN_TABLES)[N] extends PlainTable<infer Row> ? Row : never
}

type AnyTable = PlainTable<Record<string, unknown>>

/** For code that treats all plain tables alike. */
const tables = new Map(Object.entries(PLAIN_TABLES)) as unknown as ReadonlyMap<string, AnyTable>

/** Null for a table that is not plain. */
export function plainTable(name: string): AnyTable | null {
  return tables.get(name) ?? null
}

/** The fields of its rows in copies. */
export function copiedFields({ fields, derived = [] }: AnyTable): AnyTable['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !derived.includes(field)))
}

/** The same property of each plain table. */
export function ofPlainTables<Value>(of: (table: AnyTable) => Value): Record<PlainTableName, Value> {
  return Object.fromEntries([...tables].map(([name, table]) => [name, of(table)])) as Record<
    PlainTableName,
    Value
  >
}
