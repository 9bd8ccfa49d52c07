import { type AppError, type ErrorDetail, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import {
  CONTENT_REQUIRED,
  IMAGE_ALT,
  IMAGE_REQUIRED,
  POST_CONTENT,
  POST_FIELDS,
} from '@proctorpass/shared/fields/post'
import type { Field } from '@proctorpass/shared/fields/text'
import { parseIso } from '@proctorpass/shared/iso-time'
import { ARTICLE_SLUGS, POST_AHEAD_DAYS, WORDS_PER_MINUTE } from '@proctorpass/shared/limits'
import { POST_STATES, type PostState } from '@proctorpass/shared/post-states'
import type { BlogForm } from '@proctorpass/shared/schemas/blog'
import { type BlogChange, type BlogRecord, NEVER, stateOf } from '../storage/model/blogs.ts'
import type { PostCleaner } from './clean-post.ts'

interface Checking {
  fields: BlogForm
  hasFile: boolean
  /** The stored post, or null for a new one. */
  before: BlogRecord | null
  clean: PostCleaner
  /** Whether a language is switched on. */
  isOn: (lang: string) => Promise<boolean>
  now: number
}

/** The fields as they are stored. What was not sent stays undefined. */
interface CheckedPost extends Omit<BlogChange, 'at' | 'editedBy' | 'img' | 'imgAlt'> {
  imgAlt?: string | undefined
  version: number | undefined
}

/** Judges a post's form. Throws an AppError `invalid-input` with a detail for each wrong field. */
export async function checkPost({
  fields,
  hasFile,
  before,
  clean,
  isOn,
  now,
}: Checking): Promise<CheckedPost> {
  const details: ErrorDetail[] = []
  const wrong = (field: string, message: string | null) => {
    if (message !== null) details.push({ field, message })
  }

  const publishAt = timeOf(fields, before, now, wrong)
  const isDraft = (publishAt ?? before?.publishAt) === NEVER
  // What a draft lacks is judged when it is scheduled or published.
  const { lang } = fields
  if (lang !== undefined && lang !== before?.lang && !(await isOn(lang))) {
    wrong('lang', 'Choose a language that is switched on in the settings')
  }
  const { title, summary, slug, content } = !isDraft && before?.publishAt === NEVER ? before : emptyPost
  const texts = dropUndefined({ title, summary, slug, content, ...dropUndefined(fields) })

  const post =
    texts.content === undefined ? undefined : await checkContent(texts.content, clean, isDraft, wrong)
  if (!isDraft && !hasFile && (before === null || before.img === '')) wrong('file', IMAGE_REQUIRED)
  if (fields.version !== undefined && !/^[1-9]\d{0,8}$/.test(fields.version)) {
    wrong('version', "This isn't the version of a post.")
  }

  const rules = { ...POST_FIELDS, imgAlt: IMAGE_ALT }
  const summaryRule = isDraft ? optional(rules.summary) : rules.summary
  const cleaned = checkFields({ ...rules, summary: summaryRule }, texts, details)
  const taken: readonly string[] = ARTICLE_SLUGS
  if (cleaned.slug !== undefined && taken.includes(cleaned.slug)) throw slugTaken()
  return {
    ...cleaned,
    ...post,
    publishAt,
    lang,
    version: fields.version === undefined ? undefined : Number(fields.version),
  }
}

const emptyPost: Partial<BlogRecord> = {}

function dropUndefined<T extends object>(values: T): { [N in keyof T]: NonNullable<T[N]> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [N in keyof T]: NonNullable<T[N]> }
}

type Wrong = (field: string, message: string | null) => void

async function checkContent(html: string, clean: PostCleaner, isDraft: boolean, wrong: Wrong) {
  const problem = isDraft && html === '' ? null : POST_CONTENT.problem(html)
  wrong('content', problem)
  if (problem !== null) return { content: html }
  const post = await clean(html)
  wrong('content', post.isEmpty && !isDraft ? CONTENT_REQUIRED : null)
  return { content: post.html, readingMinutes: minutesFor(post.words) }
}

/** Returns how many minutes this many words take to read. */
export function minutesFor(words: number): number {
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE))
}

function optional(field: Field): Field {
  return { ...field, problem: (text) => (field.clean(text) === '' ? null : field.problem(text)) }
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** Returns the time from which everyone sees the post, or undefined if it stays. */
function timeOf(
  { state, publishAt }: BlogForm,
  before: BlogRecord | null,
  now: number,
  wrong: Wrong,
): number | undefined {
  const at = publishAt === undefined || publishAt === '' ? undefined : parseIso(publishAt)
  if (at === null) {
    wrong('publishAt', 'Use a date and time such as 2026-01-31T09:00:00Z')
    return undefined
  }
  if (state !== undefined && !isState(state)) {
    wrong('state', 'Use draft, scheduled, or published')
    return undefined
  }
  const is = before && stateOf(before, now)
  const isNewTime = at !== undefined && at !== before?.publishAt
  const wanted = state ?? (isNewTime ? 'scheduled' : (is ?? 'published'))
  if (wanted !== 'scheduled') {
    if (isNewTime) wrong('publishAt', 'Only a scheduled post can have a time when it is published')
    if (wanted === is) return undefined
    return wanted === 'draft' ? NEVER : now
  }
  if (is === 'published' && state === undefined) {
    wrong('publishAt', 'This post is published. To publish it again later, schedule it')
  } else if (at === undefined && is !== 'scheduled') {
    wrong('publishAt', 'Choose when the post is published')
  } else if (at !== undefined && at <= now) {
    wrong('publishAt', 'Choose a time in the future')
  } else if (at !== undefined && at > now + POST_AHEAD_DAYS * DAY_MS) {
    wrong('publishAt', 'Choose a time within two years')
  }
  return at
}

function isState(text: string): text is PostState {
  const states: readonly string[] = POST_STATES
  return states.includes(text)
}

/** Returns the states in a list by comma. Throws an AppError `invalid-input` for any other text. */
export function statesIn(list: string): PostState[] {
  const states = list.split(',')
  if (!states.every(isState)) throw fieldError('state', 'Use draft, scheduled, or published, by comma')
  return states
}

export function slugTaken(): AppError {
  return fieldError('slug', 'This slug is taken. Choose another one.', { code: 'conflict' })
}
