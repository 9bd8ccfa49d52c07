import { filledReply, type ReplyVariable } from '@proctorpass/shared/reply-text'
import type { VisitorClaim } from '@proctorpass/shared/schemas/inbox'

/** Returns a variable's value in this text. Null or empty if it is unknown. */
export type ReplyValues = (variable: ReplyVariable, text: string) => string | null

/** The blanks that stand for variables without a value until the admin replaces them. */
const BLANKS: Record<ReplyVariable, string> = {
  'visitor.name': '[visitor name]',
  'admin.name': '[your name]',
  brand: '[brand]',
  supportEmail: '[support email]',
  'exam.time': '[exam time]',
}
const BLANK = /\[(?:visitor name|your name|brand|support email|exam time)\]/g

export interface Blank {
  /** Positions in the text. */
  start: number
  end: number
  /** The blank's text, including its brackets. */
  label: string
}

export function blanksIn(text: string): Blank[] {
  return Array.from(text.matchAll(BLANK), ({ index, 0: label }) => ({
    start: index,
    end: index + label.length,
    label,
  }))
}

/** Returns a canned reply's text for this visitor, with blanks for unknown values. */
export function fillReply(text: string, valueFor: ReplyValues): string {
  return filledReply(text, (variable) => valueFor(variable, text) || BLANKS[variable])
}

/**
 * Returns an exam's time with its time zone's name: the visitor's zone, or UTC if it is unknown. The text is in the
 * reply's language, Chinese or English, and in the visitor's own variety of it.
 */
export function examTime(
  { examAt, timeZone, locale }: Pick<VisitorClaim, 'examAt' | 'timeZone' | 'locale'>,
  text: string,
): string | null {
  if (examAt === null) return null
  const language = /\p{Script=Han}/u.test(text) ? 'zh' : 'en'
  const localized = locale?.toLowerCase().startsWith(language) ? locale : language
  try {
    return formatted(examAt, localized, timeZone ?? 'UTC')
  } catch {
    // This browser does not know the visitor's time zone or locale.
    return formatted(examAt, language, 'UTC')
  }
}

function formatted(at: string, locale: string, timeZone: string): string {
  return new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'long',
  }).format(new Date(at))
}
