type Cell = string | number | null

/**
 * Returns a row of a CSV file (RFC 4180). Spreadsheets run text that begins like a formula, so such text gets a leading
 * apostrophe. Every text is quoted, because a spreadsheet that separates cells by semicolons could otherwise find such
 * a beginning inside it.
 */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null || typeof cell === 'number') return String(cell ?? '')
  // The normalized form also shows full-width and small signs, which some programs read as these.
  const text = /^[=+\-@\t\r\n]/.test(cell.slice(0, 2).normalize('NFKC')) ? `'${cell}` : cell
  return `"${text.replaceAll('"', '""')}"`
}
