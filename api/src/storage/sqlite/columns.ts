/** Converts rows to SQLite columns, and columns to rows. */

import type { SQLInputValue } from 'node:sqlite'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import Type, { type TSchema } from 'typebox'
import type { MessageRow } from '../model/conversation/rows.ts'
import type { PlainTable } from '../model/plain-table.ts'

export function insertionOf(table: string, columns: readonly string[], verb = 'INSERT'): string {
  const values = columns.map((column) => `:${column}`).join(', ')
  return `${verb} INTO ${table} (${columns.join(', ')}) VALUES (${values})`
}

/** Converts a row to columns. Booleans become 0 or 1; lists and objects become JSON. */
export function columnsOf(row: object): Record<string, SQLInputValue> {
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [field, columnOf(value)]))
}

export function columnOf(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SQLInputValue)
}

export function plainRow<Row>({ fields }: PlainTable<Row>, columns: Record<string, unknown>): Row {
  return rowOf(fields, columns) as Row
}

/** Reverses `columnsOf`. `columns` may lack some of the fields. */
export function rowOf(fields: Record<string, TSchema>, columns: Record<string, unknown>): object {
  const row = { ...columns }
  for (const [field, schema] of Object.entries(fields)) {
    if (!(field in row)) continue
    if (Type.IsBoolean(schema)) row[field] = row[field] === 1
    if (Type.IsArray(schema) || Type.IsObject(schema)) row[field] = JSON.parse(row[field] as string)
  }
  return row
}

/** The tables of messages and their newest words. */
export const MESSAGES_WITH_EDITS = 'messages LEFT JOIN edits USING (clientId, seq)'

/**
 * The columns of MESSAGES_WITH_EDITS. `attachments` is JSON. `edit` and the next two are null without a correction, or
 * missing if the statement does not read them.
 */
export type MessageColumns = Omit<MessageRow, 'attachments' | 'edited'> & {
  attachments: string | null
  edit?: number | null
  words?: string | null
  editedAt?: number | null
}

export function messageRow<
  Columns extends Omit<MessageColumns, keyof MessageRow> & { attachments: string | null },
>(columns: Columns) {
  const { attachments, edit, words, editedAt } = columns
  const files = attachments === null ? null : (JSON.parse(attachments) as Attachment[])
  const edited = edit == null ? null : { edit, message: words as string, at: editedAt as number }
  // Leaving three fields out would take a tenth of a page's time.
  return { ...columns, attachments: files, edited }
}
