import { isJoined, keyOf, type Line } from './lines.ts'
import { writeLines } from './write-post.ts'

/** One part of the post, and the keys of the lines that show it. */
interface Source {
  html: string
  keys: string[]
}

/**
 * The stored post behind the editor. Parts that the editor shows unchanged are written exactly as they were stored,
 * byte for byte, so that a change in one place does not change another.
 */
export class PostSource {
  readonly #byFirstLine = new Map<string, Source[]>()

  /** `shown` has each part's lines as the editor holds them. */
  constructor(parts: readonly { html: string; shown: readonly Line[] }[]) {
    for (const { html, shown } of parts) {
      const keys = shown.map(keyOf)
      const first = keys[0] ?? ''
      const source = { html, keys }
      const others = this.#byFirstLine.get(first)
      if (others) others.push(source)
      else this.#byFirstLine.set(first, [source])
    }
  }

  htmlOf(lines: readonly Line[]): string {
    const keys = lines.map(keyOf)
    const used = new Map<string, number>()
    let html = ''
    let changed: Line[] = []
    for (let at = 0; at < lines.length; ) {
      const source = this.#sourceAt(lines, keys, at, used)
      if (source) {
        html += writeLines(changed) + source.html
        changed = []
        at += source.keys.length
      } else {
        const line = lines[at]
        if (line) changed.push(line)
        at++
      }
    }
    return html + writeLines(changed)
  }

  /**
   * Returns the stored part that is shown at a line. If several parts look the same, it returns each of them once, and
   * then the last one.
   */
  #sourceAt(
    lines: readonly Line[],
    keys: readonly string[],
    at: number,
    used: Map<string, number>,
  ): Source | undefined {
    const first = keys[at] ?? ''
    const sources = this.#byFirstLine.get(first)
    if (!sources) return undefined
    const from = used.get(first) ?? 0
    const candidates = from < sources.length ? sources.slice(from, from + TRIED_MAX) : sources.slice(-1)
    const found = candidates.findIndex(({ keys: own }) =>
      own.every((key, offset) => keys[at + offset] === key),
    )
    const source = candidates[found]
    if (!source) return undefined
    const end = at + source.keys.length
    // A list or a code block that continues is written as one.
    if (isJoined(lines, at) || isJoined(lines, end)) return undefined
    if (from < sources.length) used.set(first, from + found + 1)
    return source
  }
}

/** Among parts that begin alike, at most this many are compared. */
const TRIED_MAX = 20
