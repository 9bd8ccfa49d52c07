import { withoutEmptyEnds } from '@proctorpass/shared/fields/text'
import { htmlLines } from '../mail/inbound/html-text.ts'
import { lineText } from '../mail/inbound/line-writer.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the control characters that no text needs.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/** Returns a text as the store holds it: without control characters, half characters, and empty lines around it. */
export function plainText(text: string): string {
  return withoutEmptyEnds(text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, ''))
}

/** Matches HTML rather than a text that has a less-than sign in it. */
const HTML = /<(?:!doctype|\/?[a-z][a-z0-9]*)(?:[\s/][^<>]*)?>/i

/** Returns HTML as text, without scripts and styles. Other text stays as it is. */
export function htmlAsText(html: string): string {
  return HTML.test(html) || /&(?:#\d+|[a-z]+);/i.test(html) ? htmlLines(html).map(lineText).join('\n') : html
}

/** Returns a text in one line, such as a name. */
export function oneLine(text: string): string {
  return plainText(text)
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
}

/**
 * Divides a text into parts of at most `max` code points. A part ends at a line's end or between words if there is one in
 * its second half.
 */
export function partsOfText(text: string, max: number): string[] {
  const parts: string[] = []
  let rest = text
  for (;;) {
    const limit = lengthOf(rest, max)
    if (limit >= rest.length) break
    const piece = rest.slice(0, limit)
    const end = [piece.lastIndexOf('\n'), piece.lastIndexOf(' ')].find((index) => index > limit / 2) ?? limit
    parts.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...parts, rest].map(withoutEmptyEnds).filter((part) => part !== '')
}

/** Returns the length of a text's first code points. */
function lengthOf(text: string, count: number): number {
  if (text.length <= count) return text.length
  let end = 0
  for (let index = 0; index < count && end < text.length; index += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return end
}
