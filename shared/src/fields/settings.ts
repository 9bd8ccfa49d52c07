import { isPathPattern } from '../card-path.ts'
import type { ErrorDetail } from '../errors.ts'
import { isTimeZone } from '../hours.ts'
import { CARD_TEXT_MAX, LANGUAGE_TAG_PATTERN, PAGE_PATH_MAX, QUICK_REPLY_MAX } from '../limits.ts'
import type { Card, Hours, LocalizedReplies, Settings, Span } from '../schemas/settings.ts'
import { cleanLocalized, shownTextProblem } from './shown-text.ts'
import { lineProblem, tooLong, trimmed } from './text.ts'

const TAG = new RegExp(LANGUAGE_TAG_PATTERN)
const START = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const END = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/**
 * Returns the settings as they are stored, with texts trimmed, and without unknown fields and the languages that are not
 * kept.
 */
export function cleanSettings(settings: Settings, isKept = (_tag: string) => true): Settings {
  const { version, hours, away, greeting, quickReplies, languages, preChat, files, filesNotice } = settings
  const { rating, suggestions, cards, retentionDays, escalation, secondFactor, showTeam } = settings
  return {
    version,
    hours: hours && {
      timeZone: hours.timeZone,
      spans: hours.spans.map(({ day, from, to }) => ({ day, from, to })),
      closed: [...new Set(hours.closed)],
    },
    away: cleanLocalized(away, isKept),
    greeting: cleanLocalized(greeting, isKept),
    quickReplies: cleanReplies(quickReplies, isKept),
    languages: [...new Set(['en', ...languages])].sort(),
    preChat: { name: preChat.name, email: preChat.email, examAt: preChat.examAt },
    files,
    filesNotice: cleanLocalized(filesNotice, isKept),
    rating,
    suggestions,
    cards: cards.map(({ id, path, afterSeconds, language, onlineOnly, text, greeting }) => ({
      ...{ id, path: path.trim(), afterSeconds, language, onlineOnly },
      text: cleanLocalized(text, isKept),
      greeting: cleanLocalized(greeting, isKept),
    })),
    retentionDays,
    escalation: { afterSeconds: escalation.afterSeconds, thenMailMinutes: escalation.thenMailMinutes },
    secondFactor,
    showTeam,
  }
}

function cleanReplies(replies: LocalizedReplies, isKept: (tag: string) => boolean): LocalizedReplies {
  const { en, zh, ...others } = replies
  const kept = Object.entries(others).filter(([tag, own]) => TAG.test(tag) && isKept(tag) && own.length > 0)
  return {
    en: en.map(trimmed),
    zh: zh.map(trimmed),
    ...Object.fromEntries(kept.map(([tag, own]) => [tag, own.map(trimmed)])),
  }
}

/** Returns the languages in which the settings have texts. */
export function writtenLanguages({
  away,
  greeting,
  quickReplies,
  filesNotice,
  cards,
}: Settings): Set<string> {
  const texts = [
    away,
    greeting,
    quickReplies,
    filesNotice,
    ...cards.flatMap((card) => [card.text, card.greeting]),
  ]
  return new Set(texts.flatMap((each) => Object.keys(each)))
}

/**
 * Returns errors in cleaned settings that their schema does not find. Each field is a JSON pointer without the first
 * slash.
 */
export function settingsProblems({ hours, quickReplies, cards, ...texts }: Settings): ErrorDetail[] {
  const details: ErrorDetail[] = []
  const add = (field: string, message: string | null) => {
    if (message !== null) details.push({ field, message })
  }
  if (hours !== null) details.push(...hoursProblems(hours))
  for (const field of ['away', 'greeting', 'filesNotice'] as const) {
    for (const [language, text] of Object.entries(texts[field])) {
      add(`${field}/${language}`, shownTextProblem(text))
    }
  }
  for (const [language, replies] of Object.entries(quickReplies)) {
    for (const [index, reply] of replies.entries()) {
      const problem = reply === '' ? 'Enter a reply or remove it' : lineProblem(reply, QUICK_REPLY_MAX)
      add(`quickReplies/${language}/${index}`, problem)
    }
  }
  for (const [index, card] of cards.entries()) {
    for (const { field, message } of cardProblems(card)) add(`cards/${index}/${field}`, message)
    const isRepeated = cards.findIndex(({ id }) => id === card.id) < index
    add(`cards/${index}/id`, isRepeated ? 'Give each card an id of its own' : null)
  }
  return details
}

function cardProblems({ path, language, text, greeting }: Card): ErrorDetail[] {
  const details: ErrorDetail[] = []
  const add = (field: string, message: string | null) => {
    if (message !== null) details.push({ field, message })
  }
  add('path', pathProblem(path))
  const needed = language ?? 'en'
  if (!text[needed]) add(`text/${needed}`, 'Enter what the card says')
  for (const [tag, words] of Object.entries(text)) add(`text/${tag}`, shownTextProblem(words, CARD_TEXT_MAX))
  for (const [tag, words] of Object.entries(greeting)) add(`greeting/${tag}`, shownTextProblem(words))
  return details
}

function pathProblem(path: string): string | null {
  if (path.length > PAGE_PATH_MAX) return tooLong(PAGE_PATH_MAX)
  return isPathPattern(path) ? null : 'Enter a path such as /faq or /blogs/*, or * for every page'
}

function hoursProblems({ timeZone, spans, closed }: Hours): ErrorDetail[] {
  const details: ErrorDetail[] = []
  if (!isTimeZone(timeZone)) {
    details.push({ field: 'hours/timeZone', message: 'Choose a time zone, such as Europe/Zurich' })
  }
  for (const [index, span] of spans.entries()) {
    const problem = spanProblem(span, spans.slice(0, index))
    if (problem !== null) {
      details.push({ field: `hours/spans/${index}/${problem.field}`, message: problem.message })
    }
  }
  for (const [index, date] of closed.entries()) {
    if (!isDate(date)) details.push({ field: `hours/closed/${index}`, message: 'Enter a date' })
  }
  return details
}

function spanProblem({ day, from, to }: Span, before: Span[]): ErrorDetail | null {
  if (from === '') return { field: 'from', message: 'Enter a time' }
  if (!START.test(from)) return { field: 'from', message: 'Enter a time from 00:00 to 23:59' }
  if (to === '') return { field: 'to', message: 'Enter a time' }
  if (!END.test(to)) return { field: 'to', message: 'Enter a time from 00:01 to 24:00' }
  // Both have two digits for each part, so texts compare as times do.
  if (from >= to) return { field: 'to', message: 'Enter a time after the start' }
  const overlaps = before.some((other) => other.day === day && from < other.to && other.from < to)
  return overlaps ? { field: 'from', message: 'These hours overlap other hours on this day' } : null
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  if (month < 1 || month > 12) return false
  return day >= 1 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}
