type Cell = string | number | null

/**
 * A row of a CSV file (RFC 4180). Spreadsheets run what begins like a formula: such text gets a leading apostrophe. Every
 * text is quoted: a spreadsheet that separates cells by semicolons would find a beginning within it.
 */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null || typeof cell === 'number') return String(cell ?? '')
  // Of full width or small, too: some programs read these as signs.
  const text = /^[=+\-@\t\r\n]/.test(cell.slice(0, 2).normalize('NFKC')) ? `'${cell}` : cell
  return `"${text.replaceAll('"', '""')}"`
}
