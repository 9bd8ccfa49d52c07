import { PAGE_BYTES_MAX, SUMMARY_TEXT_MAX } from '@proctorpass/shared/limits'
import type { Message, SummaryMessage } from '@proctorpass/shared/schemas/chat'

/** Collects the rows of a page until there are `limit` of them or their JSON has PAGE_BYTES_MAX bytes. */
export class PageRows<T> {
  readonly rows: T[] = []
  readonly #limit: number
  /** The brackets. */
  #bytes = 2

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the page has no room for it. The first row always fits. */
  add(row: T): boolean {
    if (this.rows.length === this.#limit) return false
    const bytes = Buffer.byteLength(JSON.stringify(row)) + 1
    if (this.rows.length > 0 && this.#bytes + bytes > PAGE_BYTES_MAX) return false
    this.#bytes += bytes
    this.rows.push(row)
    return true
  }
}

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
