import type { Line } from './lines.ts'
import { allow, classFormats, lineOf, NotShown } from './read-inline.ts'
import { CELL, encodeCell, newId } from './table-cells.ts'

/** Returns a table's lines. Throws if a cell has more than one line of text. */
export function readTable(element: Element): Line[] {
  allow(element)
  const table = newId()
  const lines = [...element.children].flatMap((section) => {
    if (section.localName !== 'thead' && section.localName !== 'tbody') throw new NotShown()
    allow(section)
    return [...section.children].flatMap((row) => {
      const cells = [...row.children]
      if (row.localName !== 'tr' || cells.length === 0) throw new NotShown()
      allow(row)
      const id = newId()
      return cells.map((cell) => readCell(cell, table, id, section.localName === 'thead'))
    })
  })
  if (lines.length === 0 || element.querySelector('tbody ~ thead, thead ~ thead')) throw new NotShown()
  return lines
}

function readCell(cell: Element, table: string, row: string, isHead: boolean): Line {
  allow(cell, 'class', 'scope', 'colspan', 'rowspan')
  const [only, ...others] = cell.childNodes
  const isParagraph = only instanceof Element && only.localName === 'p' && others.length === 0
  if (isParagraph) allow(only)
  const span = (name: string) => Number(cell.getAttribute(name) ?? 1)
  return lineOf(isParagraph ? only.childNodes : cell.childNodes, {
    ...classFormats(cell),
    [CELL]: encodeCell({
      table,
      row,
      isHead,
      tag: cell.localName === 'th' ? 'th' : 'td',
      scope: cell.getAttribute('scope') ?? '',
      colspan: span('colspan'),
      rowspan: span('rowspan'),
    }),
  })
}
