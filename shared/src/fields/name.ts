import { lineProblem } from './text.ts'

/**
 * Matches what mail programs and phones turn into a link. A dot between two words alone does not make a link ("Dr.Li",
 * "J.Smith"), unless the second word is a domain that is not also a name.
 */
const LINKS = [
  /:\/\//,
  /(?<![\p{L}\p{N}])(?:mailto|tel|sms):\S/iu,
  /(?<![\p{L}\p{N}])www\d?\./iu,
  /[^\s@]@[^\s@.]+\.[^\s@]/u,
  /[\p{L}\p{N}]\.\p{L}{2,}(?::\d+)?[/?#\\]/u,
  /[\p{L}\p{N}]\.(?:com|net|org|info|biz|edu|gov|xyz|online|site|website|shop|click|app|icu|club|top|vip|ru|cn|uk|br|io|cc|tk|eu|рф|中国)(?![\p{L}\p{N}])/iu,
]

function hasLink(text: string): boolean {
  // Programs and people do not distinguish letters' widths, see nothing invisible, and take every script's full stop
  // for a dot.
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/(?![!?])\p{Sentence_Terminal}|[\ua4f8\u{10a50}\u{1d16d}]/gu, '.')
  return LINKS.some((link) => link.test(plain))
}

/** Explains why a text cannot be a person's name, which stands in mails and notifications. Null if it can. */
export function nameProblem(text: string, max: number): string | null {
  const problem = lineProblem(text, max)
  if (problem !== null) return problem
  return hasLink(text) ? 'Use a name without links or email addresses' : null
}

/**
 * Returns a stored name for mails, notifications, and visitors. Null if it has a link, as names that were stored before
 * they were checked may have.
 */
export function nameWithoutLink(name: string | null | undefined): string | null {
  return typeof name !== 'string' || hasLink(name) ? null : name
}
