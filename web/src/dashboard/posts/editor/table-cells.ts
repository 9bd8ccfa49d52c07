import { formatsOf, type Line } from './lines.ts'

/** The format of a table's cell. Its value is an encoded `Cell`. Each cell is one line. */
export const CELL = 'table-cell'

/** A table's cell: the table and the row to which it belongs, and how it is written there. */
export interface Cell {
  table: string
  row: string
  /** Whether the cell's row is in the table's head. */
  isHead: boolean
  tag: 'td' | 'th'
  /** Empty if the cell has no scope. */
  scope: string
  colspan: number
  rowspan: number
}

export function encodeCell({ table, row, isHead, tag, scope, colspan, rowspan }: Cell): string {
  return [table, row, isHead ? 'head' : 'body', tag, scope, colspan, rowspan].join(' ')
}

export function decodeCell(value: unknown): Cell {
  const [table = '', row = '', section, tag, scope = '', colspan, rowspan] = String(value).split(' ')
  return {
    table,
    row,
    isHead: section === 'head',
    tag: tag === 'th' ? 'th' : 'td',
    scope,
    colspan: Number(colspan) || 1,
    rowspan: Number(rowspan) || 1,
  }
}

/** Returns the cell that a line is, or undefined for other lines. */
export function cellOf(line: Line | undefined): Cell | undefined {
  const value = line && formatsOf(line)[CELL]
  return value === undefined ? undefined : decodeCell(value)
}

let made = 0

/** Returns a name for a new table or row. */
export function newId(): string {
  made++
  return `t${made}`
}

/** A cell and its line. */
export interface PlacedCell extends Cell {
  line: Line
}

export type Row = PlacedCell[]

export function rowsOf(lines: readonly Line[]): Row[] {
  const rows: Row[] = []
  for (const line of lines) {
    const cell = cellOf(line)
    if (!cell) continue
    const last = rows.at(-1)
    if (last?.[0]?.row === cell.row) last.push({ ...cell, line })
    else rows.push([{ ...cell, line }])
  }
  return rows
}

/** Returns a table's lines, with the cells' present values. */
export function linesOfRows(rows: readonly Row[]): Line[] {
  return rows.flat().map(({ line, ...cell }) => {
    const { [CELL]: _old, ...others } = formatsOf(line)
    return [...line.slice(0, -1), { insert: '\n', attributes: { ...others, [CELL]: encodeCell(cell) } }]
  })
}

export function newTable(rows: number, columns: number): Row[] {
  const table = newId()
  return Array.from({ length: rows }, (_, index) => {
    const row = newId()
    return Array.from({ length: columns }, () => {
      const cell = {
        table,
        row,
        isHead: false,
        tag: 'td' as const,
        scope: '',
        colspan: 1,
        rowspan: 1,
        line: [],
      }
      return index === 0 ? asHeader(cell) : cell
    })
  })
}

function asHeader(cell: PlacedCell): PlacedCell {
  return { ...cell, isHead: true, tag: 'th', scope: 'col' }
}

interface Place {
  cell: PlacedCell
  row: number
  column: number
}

/** Returns each cell's place, with regard to the cells that span several rows or columns. */
function placesOf(rows: readonly Row[]): Place[] {
  /** For each column, the first row in which it is free. */
  const free: number[] = []
  return rows.flatMap((cells, row) => {
    let column = 0
    return cells.map((cell) => {
      while ((free[column] ?? 0) > row) column++
      const place = { cell, row, column }
      const end = column + cell.colspan
      for (; column < end; column++) free[column] = row + cell.rowspan
      return place
    })
  })
}

export type TableChange =
  | 'row-above'
  | 'row-below'
  | 'column-before'
  | 'column-after'
  | 'delete-row'
  | 'delete-column'
  | 'header-row'

/** Changes a table at a cell, which is named by its position among all cells. Returns no rows if nothing is left. */
export function changeTable(rows: readonly Row[], index: number, change: TableChange): Row[] {
  const place = placesOf(rows)[index]
  if (!place) return [...rows]
  const { cell, row, column } = place
  if (change === 'row-above') return withRow(rows, row, row)
  if (change === 'row-below') return withRow(rows, Math.min(row + cell.rowspan, rows.length), row)
  if (change === 'column-before') return withColumn(rows, column)
  if (change === 'column-after') return withColumn(rows, column + cell.colspan)
  if (change === 'delete-row') return withoutRow(rows, row)
  if (change === 'delete-column') return withoutColumn(rows, column)
  return withHeader(rows)
}

function withRow(rows: readonly Row[], at: number, like: number): Row[] {
  const places = placesOf(rows)
  const width = Math.max(...places.map(({ cell, column }) => column + cell.colspan))
  const model = rows[like]?.[0]
  const isHead = model?.isHead === true && at <= like
  const row = newId()
  const covered = new Set<number>()
  const longer = new Set<PlacedCell>()
  for (const place of places) {
    if (place.row >= at || place.row + place.cell.rowspan <= at) continue
    longer.add(place.cell)
    for (let offset = 0; offset < place.cell.colspan; offset++) covered.add(place.column + offset)
  }
  const cells: Row = []
  for (let column = 0; column < width; column++) {
    if (covered.has(column)) continue
    const neighbor = places.find((place) => place.row === like && place.column === column)?.cell
    const isRowHeader = neighbor?.tag === 'th' && neighbor.scope === 'row'
    const cell: PlacedCell = {
      table: model?.table ?? '',
      row,
      isHead: false,
      tag: isRowHeader ? 'th' : 'td',
      scope: isRowHeader ? 'row' : '',
      colspan: 1,
      rowspan: 1,
      line: [],
    }
    cells.push(isHead ? asHeader(cell) : cell)
  }
  const others = rows.map((each) =>
    each.map((cell) => (longer.has(cell) ? { ...cell, rowspan: cell.rowspan + 1 } : cell)),
  )
  return cells.length === 0 ? others : [...others.slice(0, at), cells, ...others.slice(at)]
}

function withColumn(rows: readonly Row[], at: number): Row[] {
  const places = placesOf(rows)
  const covered = new Set<number>()
  const wider = new Set<PlacedCell>()
  for (const { cell, row, column } of places) {
    if (column >= at || column + cell.colspan <= at) continue
    wider.add(cell)
    for (let offset = 0; offset < cell.rowspan; offset++) covered.add(row + offset)
  }
  return rows.map((cells, row) => {
    const grown = cells.map((cell) => (wider.has(cell) ? { ...cell, colspan: cell.colspan + 1 } : cell))
    const model = cells[0]
    if (covered.has(row) || !model) return grown
    const before = places.filter((place) => place.row === row && place.column < at).length
    const cell: PlacedCell = { ...model, tag: 'td', scope: '', colspan: 1, rowspan: 1, line: [] }
    return [...grown.slice(0, before), model.isHead ? asHeader(cell) : cell, ...grown.slice(before)]
  })
}

function withoutRow(rows: readonly Row[], at: number): Row[] {
  const places = placesOf(rows)
  const next = rows[at + 1]?.[0]
  const changed = rows.map((cells, row) =>
    places
      .flatMap(({ cell, row: start, column }) => {
        const reaches = start <= at && start + cell.rowspan > at
        // A cell that begins in the deleted row and continues below it moves down.
        const isMoved = start === at && row === at + 1 && cell.rowspan > 1 && next !== undefined
        if (isMoved)
          return [
            { column, cell: { ...cell, row: next.row, isHead: next.isHead, rowspan: cell.rowspan - 1 } },
          ]
        if (start !== row || !cells.includes(cell)) return []
        return [{ column, cell: reaches && start < at ? { ...cell, rowspan: cell.rowspan - 1 } : cell }]
      })
      .sort((a, b) => a.column - b.column)
      .map(({ cell }) => cell),
  )
  return withoutEmptyRows(changed.filter((_, row) => row !== at))
}

function withoutColumn(rows: readonly Row[], at: number): Row[] {
  const touched = new Set(
    placesOf(rows)
      .filter(({ cell, column }) => column <= at && column + cell.colspan > at)
      .map(({ cell }) => cell),
  )
  return withoutEmptyRows(
    rows.map((cells) =>
      cells.flatMap((cell) => {
        if (!touched.has(cell)) return [cell]
        return cell.colspan > 1 ? [{ ...cell, colspan: cell.colspan - 1 }] : []
      }),
    ),
  )
}

/** Removes rows without cells, because the editor cannot hold them. Cells that span such a row become shorter. */
function withoutEmptyRows(rows: readonly Row[]): Row[] {
  const at = rows.findIndex((cells) => cells.length === 0)
  if (at < 0) return [...rows]
  const shorter = new Set(
    placesOf(rows)
      .filter(({ cell, row }) => row < at && row + cell.rowspan > at)
      .map(({ cell }) => cell),
  )
  const others = rows.map((cells) =>
    cells.map((cell) => (shorter.has(cell) ? { ...cell, rowspan: cell.rowspan - 1 } : cell)),
  )
  return withoutEmptyRows(others.filter((_, row) => row !== at))
}

/** Makes the first row the header, or all rows of the header plain rows. */
function withHeader(rows: readonly Row[]): Row[] {
  const [first] = rows
  if (!first?.[0]?.isHead) return rows.map((cells, row) => (row === 0 ? cells.map(asHeader) : cells))
  return rows.map((cells) =>
    cells.map((cell) => (cell.isHead ? { ...cell, isHead: false, tag: 'td', scope: '' } : cell)),
  )
}
