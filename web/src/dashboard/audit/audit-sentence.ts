import { aliasOf } from '@proctorpass/shared/alias'
import type { AuditAction } from '@proctorpass/shared/audit'
import type { AuditEntry } from '@proctorpass/shared/schemas/audit'
import type { TextKey } from '@proctorpass/shared/text-keys'
import { englishName } from '../ui/language-names.ts'
import { pageName } from '../ui/page-names.ts'
import { inWords, plain, type SettingChange, settingChanges } from './setting-changes.ts'

/** What stands after the actor's name for each action. The words in braces are filled from the entry. */
const SENTENCES: Record<AuditAction, string> = {
  'session.started': 'signed in',
  'session.refused': 'entered a wrong password to sign in',
  'session.left': 'signed out',
  'session.ended': 'ended a session{session}',
  'confirmation.refused': 'entered a wrong password or code to confirm their identity',
  'password.changed': 'changed their password',
  'password.refused': 'entered a wrong current password to change it',
  'email.changed': 'changed their email address',
  'face.changed': 'changed their picture',
  'face.removed': 'removed their picture',
  'factor.added': 'added a second factor: {name}',
  'factor.removed': 'removed a second factor: {name}',
  'recovery.renewed': 'created new recovery codes',
  'admin.created': 'created {admin}',
  'admin.invited': 'invited {admin}',
  'admin.joined': 'joined the team',
  'admin.renamed': 'renamed {admin}',
  'admin.disabled': 'disabled {admin}',
  'admin.enabled': 'enabled {admin}',
  'admin.removed': 'removed {admin}',
  'admin.reset': 'reset {admin}’s password',
  'settings.changed': 'changed {settings}',
  'language.uploaded': 'uploaded the language file for {language}',
  'language.deleted': 'deleted the uploaded language file for {language}',
  'site.created': 'added the website {name}',
  'site.changed': 'changed {site}{fields}',
  'site.deleted': 'deleted the website {name}',
  'site-secret.created': 'created a secret for {site}',
  'site-secret.deleted': 'deleted {site}’s secret',
  'key.created': 'created the API key {name}{scopes}',
  'key.deleted': 'deleted an API key',
  'endpoint.created': 'added the endpoint {name}{host}',
  'endpoint.changed': 'changed the endpoint {name}{fields}',
  'endpoint.deleted': 'deleted the endpoint {name}',
  'endpoint-secret.created': 'created a new secret for the endpoint {name}',
  'conversation.erased': 'erased the conversation with {visitor}',
  'conversation.exported': 'downloaded the conversation with {visitor}',
  'visitor.blocked': 'blocked {visitor}{hours}',
  'visitor.unblocked': 'unblocked {visitor}',
  'post.published': 'published the post {title}',
  'post.scheduled': 'scheduled the post {title}',
  'post.withdrawn': 'made the post {title} a draft again',
  'preview-link.created': 'made a preview link for the post {title}',
  'preview-link.deleted': 'ended the preview link of the post {title}',
  'post.deleted': 'deleted the post {title}',
  'text.reset': '{reset} {text}',
  'question.deleted': 'deleted the question {question}',
  'question.restored': 'restored the question {question}',
  'faq-order.reset': 'went back to the shipped list of questions',
  'review.deleted': 'deleted a review',
  'contact.deleted': 'deleted a contact message',
  'samples.deleted': 'removed the samples',
  'reports.exported': 'exported the reports{days}',
  'audit.exported': 'exported this log',
  'audit.cut': 'removed this log’s oldest entries',
  'retention.ran': 'erased {erased}',
  'store.copied': 'started with a restored or migrated database',
  'import.ran': 'imported conversations',
  'import.undone': 'removed imported conversations',
}

/** The filter's choices that are not the sentence with "…" for each name. */
const CHOICES: Partial<Record<AuditAction, string>> = {
  'settings.changed': 'Changed the settings',
  'language.uploaded': 'Uploaded a language file',
  'language.deleted': 'Deleted an uploaded language file',
  'text.reset': 'Went back to a shipped text, or removed a translation',
  'site.changed': 'Changed a website',
  'site-secret.created': 'Created a secret for a website',
  'site-secret.deleted': 'Deleted a website’s secret',
  'conversation.erased': 'Erased a conversation',
  'conversation.exported': 'Downloaded a conversation',
  'visitor.blocked': 'Blocked a visitor',
  'visitor.unblocked': 'Unblocked a visitor',
  'retention.ran': 'Erased old conversations',
}

/** These filled parts are only in some sentences, and follow what the filter's choice says. */
const EXTRAS = /\{(?:session|fields|scopes|host|hours|days)\}/g

/** Returns an action as a choice of the filter: "Created …". */
export function auditChoice(action: AuditAction): string {
  const words = CHOICES[action] ?? SENTENCES[action].replace(EXTRAS, '').replace(/\{\w+\}/g, '…')
  return capitalized(words)
}

/** Returns the names that an entry has only as IDs. */
export interface AuditNames {
  /** Returns the name of an admin by user ID. */
  admin: (userId: string) => string | undefined
  /** Returns the name of an admin by user name. */
  adminCalled: (userName: string) => string | undefined
  site: (id: string) => string | undefined
}

/** If the entry names no admin, a visitor did these actions. */
const BY_VISITOR: readonly string[] = ['conversation.erased', 'conversation.exported']

export interface AuditWords {
  /** For example "Maria". */
  who: string
  /** For example "changed the time zone: Europe/Zurich → Europe/Paris". */
  what: string
  /** What else is known, one fact in each line. */
  more: string[]
}

/** Returns an entry as a sentence and the facts for which the sentence has no room. */
export function auditWords(entry: AuditEntry, names: AuditNames): AuditWords {
  const { action, details } = entry
  const sentence = (SENTENCES as Record<string, string>)[action]
  const who = whoOf(entry, names)
  if (sentence === undefined) {
    return { who, what: `made the change “${action}”`, more: factsOf(entry, Object.keys(details)) }
  }
  if (action === 'endpoint.changed' && details.disabledBy !== undefined && details.fields === undefined) {
    return { who, what: disabledText(details), more: [] }
  }
  const what = sentence.replace(/\{(\w+)\}/g, (_, part: string) => PARTS[part]?.(entry, names) ?? '')
  return { who, what, more: moreOf(entry) }
}

function whoOf({ by, action }: AuditEntry, names: AuditNames): string {
  if (by === null) return BY_VISITOR.includes(action) ? 'A visitor' : 'The server or its operator'
  if (by.startsWith('key:')) return `The API key ${by.slice('key:'.length)}`
  return names.admin(by) ?? by
}

type Part = (entry: AuditEntry, names: AuditNames) => string

const PARTS: Record<string, Part> = {
  name: ({ details: { name, kind } }) => textIn(name) ?? (kind === 'totp' ? 'authenticator app' : 'one'),
  admin: ({ details: { name } }, names) => {
    const userName = textIn(name)
    return userName === undefined ? 'an admin' : (names.adminCalled(userName) ?? userName)
  },
  title: ({ details: { title } }) => `“${plain(title)}”`,
  question: ({ details: { question } }) => `“${plain(question)}”`,
  language: ({ target }) => (target === null ? 'a language' : englishName(target)),
  reset: ({ details: { lang } }) =>
    textIn(lang) === undefined || lang === 'en'
      ? 'went back to the shipped text of'
      : `removed the ${englishName(String(lang))} translation of`,
  text: ({ target, details }) => textName(target, textIn(details.name)),
  site: ({ target }, names) => {
    const name = target === null ? undefined : names.site(target)
    return name === undefined ? 'a website' : `the website ${name}`
  },
  visitor: ({ target }) => (target === null ? 'a visitor' : aliasOf(target)),
  session: ({ details: { device, network } }) =>
    `${textIn(device) ? ` on ${device}` : ''}${textIn(network) ? ` from ${network}` : ''}`,
  settings: ({ details }) => {
    const changes = settingChanges(details)
    const [only] = changes
    if (changes.length === 1 && only) return `the ${lineOf(only)}`
    return changes.length === 0 ? 'the settings' : `${changes.length} settings`
  },
  fields: ({ details: { fields } }) =>
    Array.isArray(fields) && fields.length > 0 ? `: ${listOf(fields.map(fieldName))}` : '',
  scopes: ({ details: { scopes } }) =>
    Array.isArray(scopes) && scopes.length > 0 ? ` for ${listOf(scopes.map((each) => `“${each}”`))}` : '',
  host: ({ details: { host } }) => (textIn(host) ? ` at ${host}` : ''),
  hours: ({ details: { hours } }) =>
    typeof hours === 'number' ? ` for ${countOf(hours, 'hour')}` : hours === null ? ' for good' : '',
  days: ({ details: { from, to } }) => (textIn(from) && textIn(to) ? ` from ${from} to ${to}` : ''),
  erased: ({ details: { erased } }) =>
    typeof erased === 'number' ? countOf(erased, 'old conversation') : 'old conversations',
}

/** Returns a text's name. `words` are those of an article or a question when the entry was made. */
function textName(key: string | null, words: string | undefined): string {
  if (key === null) return 'a page'
  const page = pageName(key as TextKey)
  if (page !== undefined) return `the page “${page}”`
  const kind = key.startsWith('article:') ? 'article' : 'question'
  return `the ${kind} “${words ?? key.slice(key.indexOf(':') + 1)}”`
}

/** The names of a website's and an endpoint's fields. */
const FIELD_NAMES: Record<string, string> = {
  origins: 'addresses',
  enabled: 'whether the chat is on',
  look: 'look',
  url: 'URL',
  types: 'events',
  notes: 'whether notes are included',
  disabledBy: 'whether it is on',
}

const fieldName = (field: unknown) => FIELD_NAMES[String(field)] ?? inWords(String(field))

function disabledText({ name, disabledBy }: AuditEntry['details']): string {
  const why =
    disabledBy === 'gone' ? 'because its address no longer exists' : 'because too many deliveries failed'
  return `turned off the endpoint ${plain(name)} ${why}`
}

function moreOf(entry: AuditEntry): string[] {
  const { action, details, target } = entry
  if (action === 'settings.changed') {
    const changes = settingChanges(details)
    return changes.length === 1 ? [] : changes.map((change) => capitalized(lineOf(change)))
  }
  // These things have no name that the log knows.
  if (['key.deleted', 'review.deleted', 'contact.deleted'].includes(action)) {
    return target === null ? [] : [`ID: ${target}`]
  }
  const rest = Object.keys(details).filter((field) => !SAID.has(field))
  return factsOf({ details, target: null }, action === 'audit.exported' ? Object.keys(details) : rest)
}

/** The sentences say these details. */
const SAID = new Set(
  'name title question lang kind device network fields scopes host hours from to erased disabledBy'.split(
    ' ',
  ),
)

function factsOf({ details, target }: Pick<AuditEntry, 'details' | 'target'>, fields: string[]): string[] {
  const facts = fields
    .filter((field) => details[field] !== undefined)
    .map((field) => `${capitalized(inWords(field))}: ${plain(details[field])}`)
  return target === null ? facts : [`ID: ${target}`, ...facts]
}

const lineOf = ({ what, values }: SettingChange) => (values === null ? what : `${what}: ${values}`)

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

const countOf = (n: number, word: string) => `${n.toLocaleString('en-US')} ${n === 1 ? word : `${word}s`}`

const LIST = new Intl.ListFormat('en-US')
const listOf = (words: string[]) => LIST.format(words)
