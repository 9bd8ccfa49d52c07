import {
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  SLUG_MAX,
  SLUG_PATTERN,
} from '../limits.ts'
import { isLonger, lineProblem, textField, tooLong } from './text.ts'

export const IMAGE_REQUIRED = 'Please upload image!'
export const CONTENT_REQUIRED = 'Content is required!'

const SLUG = new RegExp(SLUG_PATTERN)

export const POST_FIELDS = {
  title: textField('Title is required', (text) => lineProblem(text, BLOG_TITLE_MAX)),
  summary: textField(
    'Summary is required',
    (text) => lineProblem(text, BLOG_SUMMARY_MAX),
    // Written in a box of several lines, shown as one paragraph.
    (text) => text.trim().replace(/\s+/g, ' '),
  ),
  slug: textField('Blog slug is required', (text) => {
    // The length first: nothing longer is matched against the pattern.
    if (isLonger(text, SLUG_MAX)) return tooLong(SLUG_MAX)
    return SLUG.test(text) ? null : 'Wrong format! Only use lower case and separate words with hyphen'
  }),
}

/** Apart from the other fields: only the server can tell whether HTML shows anything. */
export const POST_CONTENT = textField(
  CONTENT_REQUIRED,
  (html) =>
    utf8Bytes(html) > BLOG_CONTENT_BYTES_MAX
      ? `The content is too long: the limit is ${BLOG_CONTENT_BYTES_MAX / 1024} KB`
      : null,
  (html) => html,
)

function utf8Bytes(text: string): number {
  let bytes = 0
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0
    bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4
  }
  return bytes
}
