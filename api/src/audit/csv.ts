type Cell = string | number | null

/**
 * A row of a CSV file (RFC 4180). Spreadsheets run what begins like a formula: such text gets a leading apostrophe.
 */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null || typeof cell === 'number') return String(cell ?? '')
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
