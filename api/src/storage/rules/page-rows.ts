import { PAGE_BYTES_MAX } from '@proctorpass/shared/limits'

/** The most that a row's JSON takes beside its text: names, ids, times, brackets. */
const ROW_BYTES = 450

/** Collects the rows of a page until there are `limit` of them or their JSON has PAGE_BYTES_MAX bytes. */
export class PageRows<T> {
  readonly rows: T[] = []
  /** Whether a row had no room. */
  more = false
  readonly #limit: number
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the page has no room for the row. `text` is the row's one long text. The first row always fits. */
  add(row: T, text: string): boolean {
    this.#bytes += ROW_BYTES + jsonBytes(text)
    const isTooLong = this.rows.length > 0 && this.#bytes > PAGE_BYTES_MAX
    this.more = isTooLong || this.rows.length === this.#limit
    if (!this.more) this.rows.push(row)
    return !this.more
  }
}

/** JSON.stringify takes ten times as long as counting bytes: only a text with escapes needs it. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(ESCAPED.test(text) ? JSON.stringify(text) : text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const ESCAPED = /["\\\u0000-\u001f]/
