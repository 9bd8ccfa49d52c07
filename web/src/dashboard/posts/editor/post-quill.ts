import Quill, { Delta, type EmitterSource, type Range } from 'quill'
import type BlockBlot from 'quill/blots/block.js'
import type { Line } from './lines.ts'
import { deltaOf, linesIn } from './post-document.ts'
import { CELL, cellOf, changeTable, linesOfRows, newTable, rowsOf, type TableChange } from './table-cells.ts'

const Block = Quill.import('blots/block') as typeof BlockBlot

/** A Quill editor whose deletions never take a table apart. */
export class PostQuill extends Quill {
  override deleteText(range: Range, source?: EmitterSource): Delta
  override deleteText(index: number, length: number, source?: EmitterSource): Delta
  override deleteText(...all: unknown[]): Delta {
    const [first, second, third] = all
    const isRange = typeof first === 'object'
    const { index, length } = isRange ? (first as Range) : { index: Number(first), length: Number(second) }
    const source = (isRange ? second : third) as EmitterSource | undefined
    const change = source === 'user' ? deletionAround(this, index, length) : null
    return change ? this.updateContents(change, source) : super.deleteText(index, length, source)
  }

  /** Formats lines, but never with a cell's format, which Quill would give to a line that was joined with a cell. */
  override formatLine(
    index: number,
    length: number,
    formats: Record<string, unknown>,
    source?: EmitterSource,
  ): Delta
  override formatLine(
    index: number,
    length: number,
    name: string,
    value?: unknown,
    source?: EmitterSource,
  ): Delta
  override formatLine(index: number, length: number, ...all: unknown[]): Delta {
    const [first, second, third] = all
    const isOne = typeof first === 'string'
    const formats = isOne ? { [first]: second } : (first as Record<string, unknown>)
    const { [CELL]: _cell, ...others } = formats
    return super.formatLine(index, length, others, (isOne ? third : second) as EmitterSource | undefined)
  }
}

/** Deletes the cells' text but not the cells, unless the whole table is deleted. Returns null if no cell is touched. */
function deletionAround(quill: Quill, index: number, length: number): Delta | null {
  const lines = quill.getLines(index, length)
  const end = index + length
  const isKept = (line: unknown) => {
    const table = tableAt(quill, line)
    return table !== null && (table.index < index || table.index + table.length > end)
  }
  if (lines.length < 2 || !lines.some(isKept)) return null
  const change = new Delta().retain(index)
  lines.forEach((line, at) => {
    const start = quill.getIndex(line)
    const from = Math.max(start, index)
    const to = Math.min(start + line.length(), end)
    const hasBreak = to === start + line.length()
    const next = lines[at + 1]
    // A line before a cell that stays can only be deleted as a whole.
    const mustStay = isKept(line) || (isKept(next) && from > start)
    const deleted = to - from - (mustStay && hasBreak ? 1 : 0)
    if (deleted > 0) change.delete(deleted)
    if (to - from > deleted) change.retain(to - from - deleted)
  })
  return change
}

interface TablePlace {
  index: number
  length: number
}

/** Returns the place of the table that has the line as a cell. Null for other lines. */
function tableAt(quill: Quill, line: unknown): TablePlace | null {
  if (!(line instanceof Block) || line.statics.blotName !== CELL) return null
  const table = line.parent.parent.parent
  return table.statics.blotName === 'table-frame'
    ? { index: quill.getIndex(table), length: table.length() }
    : null
}

export function tableAround(quill: Quill, index: number): TablePlace | null {
  return tableAt(quill, quill.getLine(index)[0])
}

export function isInCell(quill: Quill, index: number): boolean {
  return quill.getLine(index)[0]?.statics.blotName === CELL
}

/** Changes the table around the caret. `delete-table` deletes it. */
export function editTable(quill: Quill, edit: TableChange | 'delete-table'): void {
  const { index } = quill.getSelection(true)
  const table = tableAround(quill, index)
  if (!table) return
  const lines = linesIn(quill, table.index, table.length)
  const at = lineAt(lines, index - table.index)
  const rows = edit === 'delete-table' ? [] : changeTable(rowsOf(lines), at, edit)
  const before = quill.getContents(table.index, table.length)
  const after = linesOfRows(rows)
  quill.history.cutoff()
  quill.updateContents(new Delta().retain(table.index).concat(before.diff(deltaOf(after))), 'user')
  quill.history.cutoff()
  const cells = rows.flat()
  const row = cellOf(lines[at])?.row
  // The caret moves to a new cell, if there is one: in the caret's row, or the first cell of a new row.
  const isNew = ({ line }: { line: Line }) => line.length === 0
  const targets = [
    cells.findIndex((cell) => isNew(cell) && cell.row === row),
    cells.findIndex(isNew),
    cells.findIndex(({ line }) => line === lines[at]),
  ]
  const cell = targets.find((index) => index >= 0) ?? Math.min(at, cells.length - 1)
  const offset = after.slice(0, Math.max(cell, 0)).reduce((sum, line) => sum + lengthOf(line), 0)
  quill.setSelection(table.index + offset, 0, 'user')
}

/** Returns the index of the line at an offset. */
function lineAt(lines: readonly Line[], offset: number): number {
  let end = 0
  return lines.findIndex((line) => {
    end += lengthOf(line)
    return offset < end
  })
}

function lengthOf(line: Line): number {
  return line.reduce((sum, { insert }) => sum + (typeof insert === 'string' ? insert.length : 1), 0)
}

/** Inserts a table after the caret's line, or in place of an empty line, and moves the caret into the table. */
export function insertTable(quill: Quill): void {
  const { index } = quill.getSelection(true)
  const table = tableAround(quill, index)
  const [line, offset] = quill.getLine(index)
  if (table || !line) return
  const start = index - offset
  const isEmpty = line.length() === 1 && line instanceof Block
  let at = isEmpty ? start : start + line.length()
  quill.history.cutoff()
  if (at >= quill.getLength()) {
    const formats = line instanceof Block ? line.formats() : {}
    const plain = Object.fromEntries(Object.keys(formats).map((name) => [name, null]))
    at = quill.getLength()
    quill.updateContents(
      new Delta()
        .retain(at - 1)
        .insert('\n', formats)
        .retain(1, plain),
      'user',
    )
  }
  quill.updateContents(new Delta().retain(at).concat(deltaOf(linesOfRows(newTable(3, 3)))), 'user')
  quill.setSelection(at, 0, 'user')
}

const ANY_MODIFIER = { shiftKey: null, altKey: null, ctrlKey: null, metaKey: null }

interface Context {
  offset: number
  line: { length(): number }
}

/** Defines what keys do in tables and beside them. Handlers that return true leave the key to Quill. */
export const TABLE_KEYS = {
  'row below': {
    key: 'Enter',
    shortKey: true,
    format: [CELL],
    handler(this: { quill: Quill }) {
      editTable(this.quill, 'row-below')
    },
  },
  'line in cell': {
    key: 'Enter',
    shiftKey: null,
    format: [CELL],
    handler(this: { quill: Quill }, { index, length }: Range) {
      if (!isInCell(this.quill, index)) return true
      if (length > 0) this.quill.deleteText(index, length, 'user')
      this.quill.insertEmbed(index, 'soft-break', true, 'user')
      this.quill.setSelection(index + 1, 0, 'silent')
      return false
    },
  },
  'start of cell': {
    key: 'Backspace',
    ...ANY_MODIFIER,
    collapsed: true,
    offset: 0,
    handler(this: { quill: Quill }, { index }: Range, { line }: Context) {
      const { quill } = this
      if (isInCell(quill, index)) return false
      if (index === 0 || !isInCell(quill, index - 1)) return true
      if (line.length() === 1 && index < quill.getLength() - 1) quill.deleteText(index, 1, 'user')
      quill.setSelection(index - 1, 0, 'user')
      return false
    },
  },
  'end of cell': {
    key: 'Delete',
    ...ANY_MODIFIER,
    collapsed: true,
    handler(this: { quill: Quill }, { index }: Range, { offset, line }: Context) {
      const { quill } = this
      if (offset < line.length() - 1) return true
      if (isInCell(quill, index)) return false
      if (index + 1 >= quill.getLength() || !isInCell(quill, index + 1)) return true
      if (line.length() === 1) quill.deleteText(index, 1, 'user')
      else quill.setSelection(index + 1, 0, 'user')
      return false
    },
  },
}
