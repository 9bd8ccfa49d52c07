import type { Delta, Op } from 'quill'

/** One line of the editor: its parts, the last of which is the line break with the line's formats, or one block. */
export type Line = Op[]

/** The formats of a line. */
export function formatsOf(line: Line): Record<string, unknown> {
  return line.at(-1)?.attributes ?? {}
}

/** The lines of a text. Without a line break at the end, the last one has none either. */
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

/** The same for lines that show the same. */
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

/** Whether a line goes on with what the line before it began: one list, or one block of code. */
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

/** The outermost of the lists that are open at a line, and the indent of its items. */
interface OuterList {
  tag: 'ol' | 'ul'
  level: number
}

function outerList(list: OuterList | null, line: Line): OuterList {
  const { list: kind, indent = 0 } = formatsOf(line)
  const level = Number(indent)
  // Its first item may be deeper than those after it.
  return list && list.level < level
    ? list
    : list?.tag === listTag(kind)
      ? { ...list, level }
      : { tag: listTag(kind), level }
}

export function listTag(list: unknown): 'ol' | 'ul' {
  return list === 'ordered' ? 'ol' : 'ul'
}
