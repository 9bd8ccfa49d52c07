import { englishName } from '../ui/language-names.ts'

/** One changed value of the settings, in words. The log leaves out values that are long. */
export interface SettingChange {
  /** For example "time zone". */
  what: string
  /** For example "Europe/Zurich → Europe/Paris". */
  values: string | null
}

type Words = (value: unknown) => string

/** How a field is called, and how its values read. The names are as in the settings. */
interface Field {
  what: string
  words?: Words
}

const onOrOff: Words = (value) => (value === true ? 'on' : 'off')
const none: Words = (value) => (value === null || value === undefined ? 'none' : plain(value))

const FIELDS: Record<string, Field> = {
  'hours.timeZone': { what: 'time zone' },
  'hours.spans': { what: 'opening hours', words: spansText },
  'hours.closed': { what: 'closed days' },
  languages: { what: 'languages', words: languagesText },
  'preChat.name': { what: 'question for the name' },
  'preChat.email': { what: 'question for the email address' },
  'preChat.examAt': { what: 'question for the exam time' },
  files: { what: 'files from visitors', words: onOrOff },
  rating: { what: 'question for a rating', words: onOrOff },
  suggestions: { what: 'suggested pages', words: onOrOff },
  retentionDays: {
    what: 'time before old conversations are erased',
    words: (value) => (value === null ? 'never' : `${value} days`),
  },
  'escalation.afterSeconds': {
    what: 'wait before other admins are notified',
    words: (value) => `${value} seconds`,
  },
  'escalation.thenMailMinutes': {
    what: 'wait before an email follows',
    words: (value) => (value === null ? 'no email' : `${value} minutes`),
  },
  secondFactor: { what: 'second factor' },
  showTeam: { what: 'team’s names and pictures', words: onOrOff },
}

/** The fields, also those of cards, whose parts are texts by language. */
const TRANSLATED = /^(?:(away|greeting|quickReplies|filesNotice)|(card \d+)\.(text|greeting))\.([\w-]+)$/

/** The names of the fields that have parts. The log may say only that one of them changed. */
const GROUPS: Record<string, string> = {
  hours: 'opening hours',
  away: 'away message',
  greeting: 'greeting',
  quickReplies: 'quick replies',
  preChat: 'questions before the chat',
  filesNotice: 'notice before the first file',
  cards: 'cards',
  escalation: 'notifications',
}

/** Says what changed in the settings. `details` has the old and the new value of each changed field. */
export function settingChanges(details: Readonly<Record<string, unknown>>): SettingChange[] {
  return Object.entries(details).flatMap(([field, change]): SettingChange[] => {
    const { from, to } = isObject(change) ? change : {}
    if (from === undefined && to === undefined) return [{ what: nameOf(field), values: null }]
    if (field === 'hours' && (from === null || to === null)) {
      return [{ what: nameOf(field), values: arrow(hoursText(from), hoursText(to)) }]
    }
    if (field === 'cards') return cardChanges(from, to)
    return changesWithin(field, from, to)
  })
}

/** Compares parts with each other, so that only what changed is named. */
function changesWithin(field: string, from: unknown, to: unknown): SettingChange[] {
  if (isObject(from) && isObject(to)) {
    return [...new Set([...Object.keys(from), ...Object.keys(to)])]
      .filter((part) => !isSame(from[part], to[part]))
      .flatMap((part) => changesWithin(`${field}.${part}`, from[part], to[part]))
  }
  const words = FIELDS[field]?.words ?? none
  return [{ what: nameOf(field), values: arrow(words(from), words(to)) }]
}

function cardChanges(from: unknown, to: unknown): SettingChange[] {
  const [before, after] = [cardsIn(from), cardsIn(to)]
  if (before.length !== after.length) {
    return [{ what: 'number of cards', values: arrow(`${before.length}`, `${after.length}`) }]
  }
  const changes = after.flatMap((card, index) =>
    changesWithin(`card ${index + 1}`, before[index], card).map(({ what, values }) => ({
      what: what.replaceAll('.', ', '),
      values,
    })),
  )
  return changes.length > 0 ? changes : [{ what: 'cards', values: null }]
}

const cardsIn = (value: unknown) => (Array.isArray(value) ? value : [])

function nameOf(field: string): string {
  const [, own, card, part = '', tag] = TRANSLATED.exec(field) ?? []
  if (tag !== undefined) {
    const what = own === undefined ? `${card}, ${part}` : nameOf(own)
    return `${what} in ${englishName(tag)}`
  }
  return FIELDS[field]?.what ?? GROUPS[field] ?? inWords(field)
}

function languagesText(tags: unknown): string {
  return Array.isArray(tags) ? tags.map((tag) => englishName(String(tag))).join(', ') : plain(tags)
}

const arrow = (from: string, to: string) => `${from} → ${to}`

/** Returns "retention days" for `retentionDays`. */
export function inWords(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('-', ' ')
}

/** Returns any value as words, without the signs of JSON. */
export function plain(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .map(([field, each]) => `${inWords(field)} ${plain(each)}`)
    .join(', ')
}

function hoursText(hours: unknown): string {
  if (!isObject(hours)) return 'always open'
  return `${spansText(hours.spans)}, ${plain(hours.timeZone)}`
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Returns "Mon–Fri 09:00–17:00". Days with the same hours that follow each other stand together. */
function spansText(spans: unknown): string {
  const times = DAYS.map((_, index) =>
    (Array.isArray(spans) ? spans : [])
      .filter(({ day }) => day === index + 1)
      .map(({ from, to }) => `${from}–${to}`)
      .join(' and '),
  )
  const runs: { first: number; last: number; text: string }[] = []
  for (const [index, text] of times.entries()) {
    const run = runs.at(-1)
    if (run?.text === text) run.last = index
    else runs.push({ first: index, last: index, text })
  }
  const open = runs.filter(({ text }) => text !== '')
  if (open.length === 0) return 'never open'
  return open
    .map(({ first, last, text }) => `${DAYS[first]}${last > first ? `–${DAYS[last]}` : ''} ${text}`)
    .join(', ')
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
