import { PAGE_BYTES_MAX, SUMMARY_TEXT_MAX } from '@proctorpass/shared/limits'
import type { Message, SummaryMessage } from '@proctorpass/shared/schemas/chat'

/** Bytes of a row's JSON beside its text, at most: names, ids, times, brackets. */
const ROW_BYTES = 450

/** Collects the rows of a page until there are `limit` of them or their JSON has PAGE_BYTES_MAX bytes. */
export class PageRows<T> {
  readonly rows: T[] = []
  readonly #limit: number
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the page has no room for the row, whose one long text is given too. The first row always fits. */
  add(row: T, text: string): boolean {
    if (this.rows.length === this.#limit) return false
    this.#bytes += ROW_BYTES + jsonBytes(text)
    if (this.rows.length > 0 && this.#bytes > PAGE_BYTES_MAX) return false
    this.rows.push(row)
    return true
  }
}

/** Making the JSON takes ten times as long as counting: only a text with escapes needs it. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(ESCAPED.test(text) ? JSON.stringify(text) : text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const ESCAPED = /["\\\u0000-\u001f]/

/** Characters that a store reads of a conversation's newest message: one more than is shown tells whether it was cut. */
export const SUMMARY_TEXT_READ = SUMMARY_TEXT_MAX + 1

export function toSummary(message: Message): SummaryMessage {
  const text = firstCharacters(message.message, SUMMARY_TEXT_MAX)
  return text.length === message.message.length ? message : { ...message, message: `${text}…`, cut: true }
}

/** The first code points of a text: no surrogate pair is split. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let index = 0; index < count && end < text.length; index += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
