import {
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  IMAGE_ALT_MAX,
  SLUG_MAX,
  SLUG_PATTERN,
} from '../limits.ts'
import { type Field, isLonger, lineProblem, textField, tooLong, trimmed } from './text.ts'

export const IMAGE_REQUIRED = 'Please upload image!'
export const CONTENT_REQUIRED = 'Content is required!'
export const ALT_REQUIRED = 'Describe the image, or mark it as decorative'

const SLUG = new RegExp(SLUG_PATTERN)

export const POST_FIELDS = {
  title: textField('Title is required', (text) => lineProblem(text, BLOG_TITLE_MAX)),
  summary: textField(
    'Summary is required',
    (text) => lineProblem(text, BLOG_SUMMARY_MAX),
    // The text is written in a box with several lines, but shown as one paragraph.
    oneLine,
  ),
  slug: textField('Blog slug is required', (text) => {
    // The length is checked first, so that no longer text is matched against the pattern.
    if (isLonger(text, SLUG_MAX)) return tooLong(SLUG_MAX)
    return SLUG.test(text) ? null : 'Wrong format! Only use lower case and separate words with hyphen'
  }),
}

/** An image's description: what the image shows, for people who do not see it. Empty for a decorative image. */
export const IMAGE_ALT: Field = {
  clean: oneLine,
  problem: (text) => lineProblem(oneLine(text), IMAGE_ALT_MAX),
}

/** Returns the error for a description in a form, where only a decorative image may have none. */
export function altProblem(text: string, isDecorative: boolean): string | null {
  if (isDecorative) return null
  return IMAGE_ALT.clean(text) === '' ? ALT_REQUIRED : IMAGE_ALT.problem(text)
}

/** This field has its own constant, because only the server can tell whether HTML shows anything. */
export const POST_CONTENT = textField(
  CONTENT_REQUIRED,
  (html) =>
    utf8Bytes(html) > BLOG_CONTENT_BYTES_MAX
      ? `The content is too long: the limit is ${BLOG_CONTENT_BYTES_MAX / 1024} KB`
      : null,
  (html) => html,
)

function oneLine(text: string): string {
  return trimmed(text).replace(/\s+/g, ' ')
}

export function utf8Bytes(text: string): number {
  let bytes = 0
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0
    bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4
  }
  return bytes
}
