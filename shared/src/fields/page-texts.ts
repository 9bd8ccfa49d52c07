import type { ErrorDetail } from '../errors.ts'
import { ANCHOR_PATTERN, BLOG_CONTENT_BYTES_MAX, FAQ_GROUPS_MAX } from '../limits.ts'
import type { TextKind } from '../text-keys.ts'
import { utf8Bytes } from './post.ts'
import { isLonger, lineProblem, tooLong, trimmed } from './text.ts'

/** One line. `max` and `min` count code points, and without `min` the line may be empty. */
interface LineRule {
  readonly is: 'line'
  readonly max: number
  readonly min: number
}
/** The HTML of posts. */
interface HtmlRule {
  readonly is: 'html'
}
/** The path of an image on our own pages. */
interface PathRule {
  readonly is: 'path'
}
/** The anchor of a group of questions. */
interface AnchorRule {
  readonly is: 'anchor'
}
interface FlagRule {
  readonly is: 'flag'
}
interface ListRule<Of extends Rule = Rule> {
  readonly is: 'list'
  readonly of: Of
  readonly max: number
}
interface PartsRule<Parts extends Rules = Rules> {
  readonly is: 'parts'
  readonly parts: Parts
}
export type Rule = LineRule | HtmlRule | PathRule | AnchorRule | FlagRule | ListRule | PartsRule
interface Rules {
  readonly [name: string]: Rule
}

type ValueOf<R> =
  R extends PartsRule<infer Parts>
    ? ValuesOf<Parts>
    : R extends ListRule<infer Of>
      ? ValueOf<Of>[]
      : R extends FlagRule
        ? boolean
        : string
type ValuesOf<Parts> = { -readonly [Name in keyof Parts]: ValueOf<Parts[Name]> }

const line = (max: number, min = 1): LineRule => ({ is: 'line', max, min })
const list = <Of extends Rule>(of: Of, max = 8): ListRule<Of> => ({ is: 'list', of, max })
const parts = <Parts extends Rules>(parts: Parts): PartsRule<Parts> => ({ is: 'parts', parts })
const html: HtmlRule = { is: 'html' }

/** The most code points in one of the smaller texts. */
const WORDS = line(600)
const HEADING = line(120)
const LEAD = line(500)
/** What search engines show of a page. */
const META = { title: line(65), description: line(165, 50) }
const WRITING = { ...META, heading: HEADING, lead: LEAD, content: html }

/** The fields of texts, by their kind. Words with `{brand}` and `{supportEmail}` count as they are written. */
export const TEXT_RULES = {
  home: {
    ...META,
    heading: list(WORDS),
    tagline: list(WORDS),
    lead: WORDS,
    ticked: WORDS,
    exchange: parts({
      caption: WORDS,
      visitor: WORDS,
      messages: list(parts({ isFromTeam: { is: 'flag' } as FlagRule, text: WORDS })),
    }),
    contact: WORDS,
    scrollDown: WORDS,
    stepsHeading: WORDS,
    steps: list(parts({ title: WORDS, text: WORDS })),
    pricesHeading: WORDS,
    prices: list(parts({ figure: WORDS, text: WORDS })),
    pricesNote: WORDS,
    pricesMore: WORDS,
    figuresHeading: WORDS,
    figuresNote: WORDS,
    figures: list(parts({ figure: WORDS, text: WORDS })),
    blogsHeading: WORDS,
    blogsAll: WORDS,
    reviewsHeading: WORDS,
    reviewsAll: WORDS,
    formHeading: WORDS,
    formLead: WORDS,
    banner: parts({ heading: WORDS, text: WORDS }),
  },
  faq: {
    ...META,
    heading: HEADING,
    lead: LEAD,
    groups: list(parts({ id: { is: 'anchor' } as AnchorRule, title: HEADING }), FAQ_GROUPS_MAX),
  },
  blogs: { ...META, heading: HEADING, lead: LEAD, guidesHeading: HEADING, end: WORDS, endLink: WORDS },
  reviews: { ...META, heading: HEADING, lead: LEAD, formHeading: HEADING, formLead: LEAD },
  contact: { ...META, heading: HEADING, lead: LEAD, privacy: WORDS },
  privacy: WRITING,
  terms: WRITING,
  article: {
    ...META,
    h1: line(200),
    summary: line(500),
    author: line(80),
    image: { is: 'path' } as PathRule,
    imageAlt: line(300, 0),
    content: html,
  },
  question: { question: line(200), answer: html },
} as const satisfies Record<TextKind, Rules>

/** The fields of a text of each kind, as they are stored and answered. */
export type TextFieldsByKind = { [Kind in TextKind]: ValuesOf<(typeof TEXT_RULES)[Kind]> }
export type TextFields = TextFieldsByKind[TextKind]

const REQUIRED = 'This field is required'
const ANCHOR = new RegExp(ANCHOR_PATTERN)
/** The path must stay on our own pages, so it may neither begin with two slashes nor hold a backslash. */
const OWN_PATH = /^\/(?!\/)[\w./%-]{1,299}$/

export const TOO_LONG_HTML = `The content is too long: the limit is ${BLOG_CONTENT_BYTES_MAX / 1024} KB`

/** What `checkText` found. `tooLong` names the fields whose HTML is beyond its limit. */
export interface CheckedText {
  fields: TextFields
  details: ErrorDetail[]
  tooLong: ErrorDetail[]
}

/**
 * Judges the fields of a text, and returns them as they are stored, except that HTML is not sanitized yet. A detail names
 * its field as a path below `fields`, such as `fields/title` or `fields/steps/0/text`.
 */
export function checkText(kind: TextKind, sent: unknown): CheckedText {
  const details: ErrorDetail[] = []
  const tooLong: ErrorDetail[] = []
  const fields = checkParts(TEXT_RULES[kind], sent, 'fields', {
    wrong: (field, message) => void details.push({ field, message }),
    tooLong: (field, message) => void tooLong.push({ field, message }),
  })
  return { fields: fields as TextFields, details, tooLong }
}

type Report = Record<'wrong' | 'tooLong', (field: string, message: string) => void>

function checkParts(rules: Rules, sent: unknown, at: string, report: Report): Record<string, unknown> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    report.wrong(at, 'must be an object')
    return {}
  }
  const given = sent as Record<string, unknown>
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(rules, name)) report.wrong(`${at}/${name.slice(0, 60)}`, 'This text has no such field')
  }
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined
      return [name, checkValue(rule, value, `${at}/${name}`, report)]
    }),
  )
}

function checkValue(rule: Rule, value: unknown, at: string, report: Report): unknown {
  if (value === undefined) return report.wrong(at, REQUIRED)
  if (rule.is === 'parts') return checkParts(rule.parts, value, at, report)
  if (rule.is === 'flag') {
    if (typeof value !== 'boolean') report.wrong(at, 'must be true or false')
    return value
  }
  if (rule.is === 'list') {
    if (!Array.isArray(value)) return report.wrong(at, 'must be a list')
    if (value.length === 0) return report.wrong(at, 'Add at least one entry')
    if (value.length > rule.max) return report.wrong(at, `Use at most ${rule.max} entries`)
    return value.map((each, index) => checkValue(rule.of, each, `${at}/${index}`, report))
  }
  if (typeof value !== 'string') return report.wrong(at, 'must be text')
  if (rule.is === 'html') {
    if (utf8Bytes(value) > BLOG_CONTENT_BYTES_MAX) report.tooLong(at, TOO_LONG_HTML)
    else if (trimmed(value) === '') report.wrong(at, REQUIRED)
    return value
  }
  const text = oneLine(value)
  const problem = textProblem(rule, text)
  if (problem !== null) report.wrong(at, problem)
  return text
}

function textProblem(rule: LineRule | PathRule | AnchorRule, text: string): string | null {
  if (rule.is === 'line') {
    const problem = lineProblem(text, rule.max)
    if (problem !== null || rule.min === 0) return problem
    if (text === '') return REQUIRED
    return isLonger(text, rule.min - 1) ? null : `Use at least ${rule.min} characters`
  }
  if (text === '') return REQUIRED
  if (rule.is === 'path') {
    if (isLonger(text, 300)) return tooLong(300)
    return OWN_PATH.test(text) ? null : "Use an image's path on this website, such as /uploads/…"
  }
  return ANCHOR.test(text) ? null : 'Use lowercase letters, digits, and hyphens'
}

/** Keeps spaces that do not break, which some languages need before punctuation. */
function oneLine(text: string): string {
  return trimmed(text).replace(/[\t\n\r ]+/g, ' ')
}
