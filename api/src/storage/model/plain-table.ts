import Type, { type TSchema } from 'typebox'

/** A table whose rows a store keeps as they are: its columns or fields, indexes and copies follow from this. */
export interface PlainTable<Row> {
  /** The SQLite table and the MongoDB collection have this name. */
  name: string
  key: keyof Row & string
  /**
   * The primary key of the SQLite table where it is another field, whose index costs less to write. `key` is not unique
   * there: only for rows that nothing inserts twice.
   */
  sqliteKey?: keyof Row & string
  /** The bounds of each field: every value that a store has ever accepted passes, harmful ones do not. The key first. */
  fields: { readonly [F in keyof Row]-?: TSchema }
  /** The values of fields that documents of older releases lack. On SQLite, migrations fill them in. */
  missing?: Partial<Row>
  /** The fields that follow from others. Copies leave them out. */
  derived?: readonly (keyof Row)[]
  /** The lists that MongoDB stores as lists. It stores others as JSON, because updates name their old value. */
  native?: readonly (keyof Row)[]
  /** Each index has a name. SQLite gets its own from a migration: the order of its fields may differ. */
  indexes: Readonly<Record<string, PlainIndex<Row>>>
}

export interface PlainIndex<Row> {
  by: Order<Row>
  unique?: true
}

/** 1: ascending, by code units; -1: descending. */
export type Order<Row> = { readonly [F in keyof Row]?: 1 | -1 }

export type Comparison = '<' | '<=' | '>' | '>='

/**
 * The rows whose fields are equal to these values, or compare as said: `{ expiresAt: { '<=': now } }`. A name such as
 * `factors.version` is of a field within an object.
 */
export type Where<Row> = {
  readonly [F in keyof Row]?: Row[F] | { readonly [C in Comparison]?: number | string }
}

export interface ListOptions<Row> {
  order: Order<Row>
  limit?: number
  offset?: number
  /** Reads only these fields, so the others are missing. */
  only?: readonly (keyof Row & string)[]
}

/** The rows of one plain table. */
export interface Rows<Row> {
  find(where: Where<Row>): Promise<Row | null>
  list(where: Where<Row>, options: ListOptions<Row>): Promise<Row[]>
  /** Counts all rows by default, along the first index. */
  count(where?: Where<Row>): Promise<number>
  /** False when a row with its key, or with the fields of a unique index, is stored. */
  insert(row: Row): Promise<boolean>
  /**
   * Changes the row, judged by the write itself: of two updates that expect the same value, one finds it. Undefined
   * fields stay as they are. `duplicate`: a unique index refuses the change.
   */
  update(where: Where<Row>, set: Partial<Row>): Promise<'updated' | 'missing' | 'duplicate'>
  /** Does what `update` does, for a change that no unique index refuses. Answers the row as it is then; null when it is missing. */
  change(where: Where<Row>, set: Partial<Row>): Promise<Row | null>
  /**
   * Inserts the row, or adds its numbers to those of the stored row with its key. Calls at once, of any process, all count.
   */
  add(row: Row): Promise<void>
  /** Answers how many there were. */
  remove(where: Where<Row>): Promise<number>
}

/** SQLite reads both at once, because its reads are synchronous. */
export async function pageOf<Row>(
  rows: Rows<Row>,
  where: Where<Row>,
  order: Order<Row>,
  { page, perPage }: PageOfList,
  only?: ListOptions<Row>['only'],
): Promise<Listed<Row>> {
  const options = { order, limit: perPage, offset: (page - 1) * perPage, ...(only && { only }) }
  const [items, count] = await Promise.all([rows.list(where, options), rows.count(where)])
  return { items, count }
}

/** The fields to which `Rows.add` adds. */
export function numbersOf<Row>({ fields }: PlainTable<Row>): string[] {
  return Object.entries<TSchema>(fields).flatMap(([field, schema]) => (Type.IsInteger(schema) ? [field] : []))
}

/** The fields of a condition, each with its comparison. */
export function comparisonsIn<Row>(where: Where<Row>): [string, Comparison | '=', unknown][] {
  return Object.entries(where).flatMap(([field, wanted]): [string, Comparison | '=', unknown][] => {
    if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return [[field, '=', wanted]]
    return Object.entries(wanted).map(([comparison, value]) => [field, comparison as Comparison, value])
  })
}

/** A page of a list by its number, from 1. */
export interface PageOfList {
  page: number
  perPage: number
}

/** `count` is of the whole list, also on a page beyond its end. */
export interface Listed<T> {
  items: T[]
  count: number
}
