import type Quill from 'quill'
import { Delta, type Op } from 'quill'
import { CELL, encodeCell, newId } from './table-cells.ts'

/** Quill's `Scope.BLOCK`. */
const BLOCK = 11

/** Puts captions before their tables, and removes tables that only lay out a page. */
export function prepareTables(page: Document): void {
  for (const caption of page.body.querySelectorAll('caption')) {
    const paragraph = page.createElement('p')
    paragraph.append(...caption.childNodes)
    caption.closest('table')?.before(paragraph)
    caption.remove()
  }
  for (const table of page.body.querySelectorAll('table')) {
    const cells = [...table.querySelectorAll('td, th')].filter((cell) => cell.closest('table') === table)
    const [only] = cells
    if (cells.length > 1 || !only) continue
    const content = page.createElement('div')
    content.append(...only.childNodes)
    table.replaceWith(content)
  }
}

const ids = new WeakMap<Element, string>()

function idOf(element: Element | null): string {
  if (!element) return newId()
  const id = ids.get(element) ?? newId()
  ids.set(element, id)
  return id
}

/** Returns a pasted table's cell as one line. */
export function cellDelta(node: HTMLTableCellElement, delta: Delta, quill: Quill): Delta {
  const table = node.closest('table')
  if (!table) return delta
  const isHead = node.closest('thead') !== null
  const scope =
    node.localName === 'th' ? (node.getAttribute('scope') ?? (isHead ? 'col' : '')).toLowerCase() : ''
  const value = encodeCell({
    table: idOf(table),
    row: idOf(node.closest('tr')),
    isHead,
    tag: node.localName === 'th' ? 'th' : 'td',
    scope: /^(?:col|row)(?:group)?$/.test(scope) ? scope : '',
    colspan: Math.min(node.colSpan, SPAN_MAX),
    rowspan: Math.max(1, Math.min(node.rowSpan, SPAN_MAX)),
  })
  const align = /^(?:center|right|justify)$/.exec(
    node.style.textAlign || (node.getAttribute('align') ?? ''),
  )?.[0]
  const formats = { [CELL]: value, ...(align !== undefined && { align }) }
  return withoutLines(delta, quill).insert('\n', formats)
}

/** The largest span that the server accepts. */
const SPAN_MAX = 99

/** Joins several lines into one line with breaks. Blocks become plain text. */
export function withoutLines(delta: Delta, quill: Quill): Delta {
  const isBlock = (name: string) => quill.scroll.query(name, BLOCK) !== null
  const line = new Delta()
  /** Breaks that are only written if another text follows. */
  let breaks = 0
  const add = (insert: string | Record<string, unknown>, attributes: Op['attributes']) => {
    for (; line.length() > 0 && breaks > 0; breaks--) line.insert({ 'soft-break': true })
    breaks = 0
    line.insert(insert, attributes)
  }
  for (const { insert, attributes = {} } of delta.ops) {
    const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => !isBlock(name)))
    if (typeof insert === 'string') {
      insert.split('\n').forEach((text, index) => {
        if (index > 0) breaks++
        if (text !== '') add(text, own)
      })
    } else if (insert && 'soft-break' in insert) breaks++
    else if (insert && !isBlock(Object.keys(insert)[0] ?? '')) add(insert, own)
  }
  return line
}
