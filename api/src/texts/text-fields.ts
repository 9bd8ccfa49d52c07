import { createHash } from 'node:crypto'
import { AppError, type ErrorDetail, fieldError, fieldErrors } from '@proctorpass/shared/errors'
import { checkText, type Rule, TEXT_RULES, type TextFields } from '@proctorpass/shared/fields/page-texts'
import { CONTENT_REQUIRED } from '@proctorpass/shared/fields/post'
import type { TextKind } from '@proctorpass/shared/text-keys'
import type { PostCleaner } from '../content/clean-post.ts'

type Values = Record<string, unknown>
type Rules = Readonly<Record<string, Rule>>

const rulesOf = (kind: TextKind): Rules => TEXT_RULES[kind]

/**
 * Returns the fields as they are stored. Throws an AppError `invalid-input` with a detail for each wrong field, and
 * `too-large`.
 */
export async function checkFields(
  kind: TextKind,
  sent: unknown,
  clean: PostCleaner,
  more: (fields: TextFields) => Promise<ErrorDetail[]>,
): Promise<TextFields> {
  const { fields, details, tooLong } = checkText(kind, sent)
  if (tooLong.length > 0) throw fieldErrors(tooLong, { code: 'too-large' })
  if (details.length === 0) details.push(...(await more(fields)))
  if (details.length > 0) throw fieldErrors(details)
  const empty: ErrorDetail[] = []
  const cleaned = await withHtml(kind, fields, async (html, name) => {
    const post = await cleanField(html, `fields/${name}`, clean)
    if (post.isEmpty) empty.push({ field: `fields/${name}`, message: CONTENT_REQUIRED })
    return post.html
  })
  if (empty.length > 0) throw fieldErrors(empty)
  return cleaned
}

async function cleanField(html: string, field: string, clean: PostCleaner) {
  try {
    return await clean(html)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too-large') throw error
    throw fieldError(field, error.message, { code: error.code, cause: error })
  }
}

/** Sanitizes stored fields again, because an older release may have stored them under weaker rules. */
export function cleaned(kind: TextKind, fields: TextFields, clean: PostCleaner): Promise<TextFields> {
  return withHtml(kind, fields, async (html) => (await clean(html)).html)
}

async function withHtml(
  kind: TextKind,
  fields: TextFields,
  change: (html: string, name: string) => Promise<string>,
): Promise<TextFields> {
  const changed: Values = { ...fields }
  for (const [name, rule] of Object.entries(rulesOf(kind))) {
    if (rule.is === 'html') changed[name] = await change(String(changed[name] ?? ''), name)
  }
  return changed as TextFields
}

/** Returns stored fields with the shipped words for those that an older release did not have, and without others. */
export function completed(kind: TextKind, stored: string, shipped: TextFields | undefined): TextFields {
  return completedParts(rulesOf(kind), JSON.parse(stored), shipped as Values | undefined) as TextFields
}

function completedParts(rules: Rules, stored: Values, shipped: Values = {}): Values {
  const names = Object.keys(rules)
  return Object.fromEntries(
    names.map((name) => [name, completedValue(rules[name] as Rule, stored[name], shipped[name])]),
  )
}

function completedValue(rule: Rule, value: unknown, standIn: unknown): unknown {
  if (rule.is === 'parts') return completedParts(rule.parts, { ...(value as Values) }, standIn as Values)
  if (rule.is !== 'list' || rule.of.is !== 'parts') return value ?? standIn
  const { parts } = rule.of
  return ((value ?? standIn) as Values[]).map((entry) => completedParts(parts, entry))
}

/** Returns the fields as JSON in the order of the rules, by which texts are compared. */
export function jsonOf(kind: TextKind, fields: TextFields): string {
  return JSON.stringify(completedParts(rulesOf(kind), fields as unknown as Values))
}

/** Returns what distinguishes a shipped text from that of another release. */
export function hashOf(kind: TextKind, fields: TextFields): string {
  return createHash('sha256').update(jsonOf(kind, fields)).digest('base64url')
}
