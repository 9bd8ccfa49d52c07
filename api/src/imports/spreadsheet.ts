import { parseIso } from '@proctorpass/shared/iso-time'
import { type CsvRow, csvRows } from './csv-rows.ts'
import { ImportProblem } from './decoded-file.ts'
import type { Foreign, ForeignConversation, ForeignItem } from './foreign.ts'
import { LeftOutList } from './left-out.ts'

const REQUIRED = ['conversation', 'at', 'from', 'text'] as const
const OPTIONAL = ['name', 'email', 'status'] as const
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number]

/** What `from` says for the person who asked, for the business, and for a note that only the team sees. */
const VISITOR = new Set(['visitor', 'customer', 'contact', 'user', 'client'])
const BUSINESS = new Set(['admin', 'agent', 'operator', 'team', 'support'])
const NOTE = 'note'

type Row = Readonly<Record<Column, string>> & { line: number }

/**
 * Reads conversations from a spreadsheet with a row for each message. A conversation's rows can stand anywhere, and are
 * held until its last one.
 * @throws ImportProblem when columns are missing
 */
export async function* readSpreadsheet(file: string, leftOut: LeftOutList): AsyncIterable<Foreign> {
  const left = new Map<string, number>()
  for await (const { conversation } of rowsIn(file, new LeftOutList()))
    left.set(conversation, (left.get(conversation) ?? 0) + 1)
  const held = new Map<string, Row[]>()
  for await (const row of rowsIn(file, leftOut)) {
    const { conversation } = row
    const rows = held.get(conversation) ?? []
    held.set(conversation, rows)
    rows.push(row)
    if (rows.length < (left.get(conversation) ?? 0)) continue
    held.delete(conversation)
    yield { kind: 'conversation', conversation: conversationOf(conversation, rows, leftOut) }
  }
}

async function* rowsIn(file: string, leftOut: LeftOutList): AsyncIterable<Row> {
  let header: string[] | undefined
  for await (const row of csvRows(file, leftOut)) {
    if (header === undefined) header = headerOf(file, row, leftOut)
    else if (row.fields.length !== header.length) {
      leftOut.add(`line ${row.line}`, `The row has ${row.fields.length} fields instead of ${header.length}`)
    } else {
      const fields = Object.fromEntries(header.map((column, index) => [column, row.fields[index] ?? '']))
      const { conversation = '', at = '', from = '', text = '', name = '', email = '', status = '' } = fields
      const id = conversation.trim()
      if (id === '' || id.length > 256) leftOut.add(`line ${row.line}`, 'The row names no conversation')
      else yield { line: row.line, conversation: id, at, from, text, name, email, status }
    }
  }
  if (header === undefined) throw new ImportProblem(`${file} is empty.`)
}

function headerOf(file: string, { fields }: CsvRow, leftOut: LeftOutList): string[] {
  const header = fields.map((field) => field.trim().toLowerCase())
  const missing = REQUIRED.filter((column) => !header.includes(column))
  if (missing.length > 0) {
    throw new ImportProblem(
      `${file} lacks the column ${missing.join(', ')}. Its first line must name the columns ${[...REQUIRED, ...OPTIONAL].join(', ')}; the last three may be missing.`,
    )
  }
  const known: readonly string[] = [...REQUIRED, ...OPTIONAL]
  for (const column of header)
    if (!known.includes(column)) leftOut.add(`column ${column}`, 'The column is unknown')
  return header
}

function conversationOf(id: string, rows: readonly Row[], leftOut: LeftOutList): ForeignConversation {
  const place = `conversation ${id}`
  const isVisitor = ({ from }: Row) => VISITOR.has(from.trim().toLowerCase())
  const ofVisitor = rows.filter(isVisitor)
  const valueIn = (column: 'name' | 'email') =>
    ofVisitor.find((row) => row[column].trim() !== '')?.[column].trim() ?? null
  const [name, email] = [valueIn('name'), valueIn('email')]
  const status = valueOfStatus(rows, place, leftOut)
  const items = rows.map((row): ForeignItem => {
    const from = row.from.trim()
    const word = from.toLowerCase()
    const isNamed = !VISITOR.has(word) && !BUSINESS.has(word) && word !== NOTE
    // A table often repeats the visitor's data in each row.
    const ownName = row.name.trim() === name ? '' : row.name.trim()
    const ownEmail = row.email.trim() === email ? '' : row.email.trim()
    const isAddress = isNamed && from.includes('@')
    const writer = {
      name: ownName || (isNamed && !isAddress ? from : '') || null,
      email: (isAddress ? from : ownEmail) || null,
    }
    return {
      ...{ id: null, place: `line ${row.line}`, isNote: word === NOTE, at: timeOf(row.at), text: row.text },
      from: isVisitor(row) ? 'visitor' : writer,
    }
  })
  return { id, place, status, name, email, personId: null, items }
}

function valueOfStatus(rows: readonly Row[], place: string, leftOut: LeftOutList): 'open' | 'resolved' {
  const status = (rows.findLast((row) => row.status.trim() !== '')?.status ?? '').trim().toLowerCase()
  if (status === 'open') return 'open'
  if (status !== '' && status !== 'resolved' && status !== 'closed')
    leftOut.add(place, `Its status ${status} is unknown, so it counts as resolved`)
  return 'resolved'
}

/** Returns a time in milliseconds: ISO 8601, in UTC without a zone, or seconds or milliseconds since 1970 UTC. */
function timeOf(text: string): number {
  const at = text.trim()
  if (/^\d{9,11}$/.test(at)) return Number(at) * 1_000
  if (/^\d{12,14}$/.test(at)) return Number(at)
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(at)
  if (match === null) return Number.NaN
  const [, day = '', time = '00:00', zone = 'Z'] = match
  const seconds = time.length === 5 ? `${time}:00` : time
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return parseIso(`${day}T${seconds}${offset}`) ?? Number.NaN
}
