import type Quill from 'quill'
import { Delta } from 'quill'
import { formatsOf, keyOf, type Line, linesOf } from './lines.ts'
import { PostSource } from './post-source.ts'
import { readPost } from './read-post.ts'
import { cellOf } from './table-cells.ts'
import { writeInline, writeLines } from './write-post.ts'

/** Shows a stored post in an editor, and reads it back. */
export class PostDocument {
  readonly #quill: Quill
  readonly #source: PostSource
  /** Whether the last line is stored even though it is empty. */
  readonly #hasLastLine: boolean

  /** Shows a post, and clears the undo history. */
  constructor(quill: Quill, html: string) {
    this.#quill = quill
    const refused = new Set<number>()
    for (let tries = 0; ; tries++) {
      const units = readPost(html, (part) => refused.has(part) || tries === TRIES_MAX)
      const lines = units.flatMap((unit) => unit.lines)
      this.#hasLastLine = isPlainEmpty(lines.at(-1))
      quill.setContents(deltaOf(endsInBlock(lines) ? [...lines, EMPTY] : lines), 'silent')
      const shown = linesIn(quill)
      let at = 0
      const parts = units.map((unit) => {
        const part = { ...unit, shown: shown.slice(at, at + unit.lines.length) }
        at += unit.lines.length
        return part
      })
      // The editor must hold exactly what was read from a part.
      const changed = parts.filter(
        ({ lines: read, shown: has }) =>
          has.length !== read.length || has.some((line, i) => keyOf(line) !== keyOf(read[i] ?? [])),
      )
      this.#source = new PostSource(parts)
      if (changed.length === 0 || tries === TRIES_MAX) break
      for (const { part } of changed) refused.add(part)
    }
    quill.history.clear()
  }

  /**
   * Returns the editor's HTML, or an empty text if the editor shows nothing. Unchanged parts are returned byte for byte
   * as they are stored.
   */
  html(): string {
    const lines = linesIn(this.#quill)
    if (lines.every(isEmpty)) return ''
    // The editor needs a line after a block.
    const isExtra = !this.#hasLastLine && isPlainEmpty(lines.at(-1)) && endsInBlock(lines.slice(0, -1))
    return this.#source.htmlOf(isExtra ? lines.slice(0, -1) : lines)
  }
}

const TRIES_MAX = 5
const EMPTY: Line = [{ insert: '\n' }]

const isBlock = (name: string) => name === 'video' || name === 'kept'

export function linesIn(quill: Quill, index = 0, length = quill.getLength() - index): Line[] {
  return linesOf(quill.getContents(index, length), isBlock)
}

export function deltaOf(lines: readonly Line[]): Delta {
  return lines
    .flat()
    .reduce((delta, { insert = '', attributes }) => delta.insert(insert, attributes), new Delta())
}

/** Returns the HTML of a range of the text, for the clipboard. */
export function htmlOfRange(quill: Quill, index: number, length: number): string {
  const lines = linesIn(quill, index, length)
  const last = lines.at(-1)
  const isCut = last?.every(({ insert }) => insert !== '\n' && !isBlockEmbed(insert)) ?? false
  if (!last || (isCut && lines.length === 1)) return writeInline(last ?? [])
  if (!isCut) return writeLines(lines)
  const [line] = quill.getLine(index + length)
  const formats = line && 'formats' in line ? (line.formats() as Record<string, unknown>) : {}
  return writeLines([...lines.slice(0, -1), [...last, { insert: '\n', attributes: formats }]])
}

function isBlockEmbed(insert: unknown): boolean {
  return typeof insert === 'object' && insert !== null && isBlock(Object.keys(insert)[0] ?? '')
}

function endsInBlock(lines: readonly Line[]): boolean {
  const last = lines.at(-1)
  return last === undefined || last.at(-1)?.insert !== '\n' || cellOf(last) !== undefined
}

function isPlainEmpty(line: Line | undefined): boolean {
  return line?.length === 1 && line[0]?.insert === '\n' && Object.keys(formatsOf(line)).length === 0
}

/** Returns whether a line shows nothing that a post could have. */
function isEmpty(line: Line): boolean {
  return line.every(({ insert }) =>
    typeof insert === 'string'
      ? insert.trim() === ''
      : insert && ('left-out' in insert || 'soft-break' in insert),
  )
}
