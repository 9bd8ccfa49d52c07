import type { Delta, Op } from 'quill'

/**
 * One line of the editor. It is either one block or a list of parts, of which the last is the line break with the
 * line's formats.
 */
export type Line = Op[]

/** Returns a line's formats. */
export function formatsOf(line: Line): Record<string, unknown> {
  return line.at(-1)?.attributes ?? {}
}

/** Splits a text into its lines. If the text does not end with a line break, its last line has no break either. */
export function linesOf(delta: Delta, isBlock: (name: string) => boolean): Line[] {
  const lines: Line[] = []
  let line: Line = []
  const end = () => {
    lines.push(line)
    line = []
  }
  for (const { insert, attributes } of delta.ops) {
    if (typeof insert === 'string') {
      insert.split('\n').forEach((text, index) => {
        if (index > 0) {
          line.push({ insert: '\n', ...(attributes && { attributes }) })
          end()
        }
        if (text !== '') line.push({ insert: text, ...(attributes && { attributes }) })
      })
    } else if (insert !== undefined) {
      const isLine = isBlock(Object.keys(insert)[0] ?? '')
      if (isLine && line.length > 0) end()
      line.push({ insert, ...(attributes && { attributes }) })
      if (isLine) end()
    }
  }
  if (line.length > 0) end()
  return lines
}

/** Returns a key that is the same for lines that look the same. */
export function keyOf(line: Line): string {
  return JSON.stringify(
    line.map(({ insert, attributes = {} }) => [
      insert,
      Object.entries(attributes)
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => [name, String(value)])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ]),
  )
}

/** Returns whether a line continues the previous line's list or code block. */
export function isJoined(lines: readonly Line[], at: number): boolean {
  const [before, line] = [lines[at - 1], lines[at]]
  if (!before || !line) return false
  const [first, second] = [formatsOf(before), formatsOf(line)]
  if (first['code-block'] && second['code-block']) return true
  if (!first.list || !second.list) return false
  let start = at - 1
  while (formatsOf(lines[start - 1] ?? []).list) start--
  const outer = lines.slice(start, at).reduce<OuterList | null>((list, each) => outerList(list, each), null)
  const next = outerList(outer, line)
  return next === outer || next.tag === outer?.tag
}

/** The outermost list that is open at a line, and the indent of its items. */
interface OuterList {
  tag: 'ol' | 'ul'
  level: number
}

function outerList(list: OuterList | null, line: Line): OuterList {
  const { list: kind, indent = 0 } = formatsOf(line)
  const level = Number(indent)
  // The list's first item may be deeper than later items.
  return list && list.level < level
    ? list
    : list?.tag === listTag(kind)
      ? { ...list, level }
      : { tag: listTag(kind), level }
}

export function listTag(list: unknown): 'ol' | 'ul' {
  return list === 'ordered' ? 'ol' : 'ul'
}
