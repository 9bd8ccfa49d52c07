import { decodedFile } from './decoded-file.ts'
import type { LeftOutList } from './left-out.ts'

export interface CsvRow {
  /** The number of the line in which the row begins. */
  line: number
  fields: string[]
}

/** The most characters in one row. */
const ROW_MAX = 4 * 1_024 * 1_024
/** Spreadsheets in many languages separate fields with semicolons. */
const SEPARATORS = [',', ';', '\t']

/** Yields the file's text with every line end as one `\n`. */
async function* withOneLineEnd(texts: AsyncIterable<string>): AsyncIterable<string> {
  let held = ''
  for await (const text of texts) {
    const whole = held + text
    held = whole.endsWith('\r') ? '\r' : ''
    yield whole.slice(0, whole.length - held.length).replace(/\r\n?/g, '\n')
  }
  if (held !== '') yield '\n'
}

/** Reads a CSV file's rows that have any text. The first of the SEPARATORS outside of quotation marks is the file's. */
export async function* csvRows(file: string, leftOut: LeftOutList): AsyncIterable<CsvRow> {
  let separator: string | undefined
  let line = 1
  let row: CsvRow = { line, fields: [] }
  let field: string[] = []
  let length = 0
  let state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin'

  function add(text: string): void {
    length += text.length
    if (length <= ROW_MAX) field.push(text)
  }
  function endField(): void {
    row.fields.push(field.join(''))
    field = []
    state = 'begin'
  }
  function* endRow(): Iterable<CsvRow> {
    endField()
    if (length > ROW_MAX) leftOut.add(`line ${row.line}`, 'The row is longer than 4 MB')
    else if (row.fields.some((text) => text.trim() !== '')) yield row
    row = { line, fields: [] }
    length = 0
  }

  for await (const text of withOneLineEnd(decodedFile(file))) {
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] as string
      if (character === '\n') line += 1
      if (state === 'quoted') {
        if (character === '"') state = 'closed'
        else add(character)
      } else if (character === '"' && state !== 'plain') {
        // Two quotation marks inside a quoted text mean one.
        if (state === 'closed') add('"')
        state = 'quoted'
      } else if (character === '\n') yield* endRow()
      else if (separator === undefined ? SEPARATORS.includes(character) : character === separator) {
        separator ??= character
        endField()
      } else {
        add(character)
        state = 'plain'
      }
    }
  }
  if (state === 'quoted') leftOut.add(`line ${row.line}`, 'The row has a quotation mark that is never closed')
  else yield* endRow()
}
