import Type, { type TSchema } from 'typebox'

/**
 * Describes a table whose rows a store keeps unchanged. Its columns or fields, its indexes, and its copies follow from
 * this.
 */
export interface PlainTable<Row> {
  /** The SQLite table and the MongoDB collection have this name. */
  name: string
  key: keyof Row & string
  /**
   * The SQLite table's primary key, if it is another field whose index costs less to write. `key` is not unique there, so
   * this is only for rows that are never inserted twice.
   */
  sqliteKey?: keyof Row & string
  /** Each field's bounds, the key first. Every value that a store has ever accepted passes; harmful ones do not. */
  fields: { readonly [F in keyof Row]-?: TSchema }
  /** The values of fields that documents from older releases lack. On SQLite, migrations fill them in. */
  missing?: Partial<Row>
  /** The fields that rows from older releases lack, each with the field whose value it then has. */
  missingFrom?: { readonly [F in keyof Row]?: keyof Row & string }
  /** The fields that are derived from others. Copies leave them out. */
  derived?: readonly (keyof Row)[]
  /** The lists that MongoDB stores as lists. It stores others as JSON, because updates name their old value. */
  native?: readonly (keyof Row)[]
  /** The indexes by name. SQLite gets its own from a migration, and the order of their fields may differ. */
  indexes: Readonly<Record<string, PlainIndex<Row>>>
}

export interface PlainIndex<Row> {
  by: Order<Row>
  unique?: true
}

/** The sort order: 1 for ascending by code units, -1 for descending. */
export type Order<Row> = { readonly [F in keyof Row]?: 1 | -1 }

export type Comparison = '<' | '<=' | '>' | '>='

/**
 * Names the rows whose fields equal these values or compare to them, as in `{ expiresAt: { '<=': now } }`. A name such as
 * `factors.version` names a field within an object.
 */
export type Where<Row> = {
  readonly [F in keyof Row]?: Row[F] | { readonly [C in Comparison]?: number | string }
}

export interface FindOptions {
  /**
   * Reads what the primary has, which a failover may take back. Other reads of a new primary may lack what the majority
   * has.
   */
  fromPrimary?: true
}

export interface ListOptions<Row> extends FindOptions {
  order: Order<Row>
  limit?: number
  offset?: number
  /** The only fields to read. The others are then missing. */
  only?: readonly (keyof Row & string)[]
}

/** The rows of one plain table. */
export interface Rows<Row> {
  find(where: Where<Row>, options?: FindOptions): Promise<Row | null>
  list(where: Where<Row>, options: ListOptions<Row>): Promise<Row[]>
  /** Counts rows. By default, counts all of them along the first index. */
  count(where?: Where<Row>): Promise<number>
  /** Inserts a row. Returns false when a row with its key or with a unique index's values is stored. */
  insert(row: Row): Promise<boolean>
  /**
   * Changes the row. The write itself decides, so only one of two updates that expect the same value finds it. Undefined
   * fields stay as they are. `duplicate` means that a unique index refuses the change.
   */
  update(where: Where<Row>, set: Partial<Row>): Promise<'updated' | 'missing' | 'duplicate'>
  /**
   * Does what `update` does for a change that no unique index can refuse. Returns the changed row, or null when it is
   * missing.
   */
  change(where: Where<Row>, set: Partial<Row>): Promise<Row | null>
  /** Inserts the row, or adds its numbers to the stored row's numbers. Concurrent calls from any process all count. */
  add(row: Row): Promise<void>
  /** Removes rows and returns their number. */
  remove(where: Where<Row>): Promise<number>
}

/** Reads a page and the count. SQLite reads both at the same moment, because its reads are synchronous. */
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

/** Returns a row from an older release with the fields that it lacks. */
export function withMissing<Row>({ missing, missingFrom = {} }: PlainTable<Row>, row: object): object {
  const found = row as Readonly<Record<string, unknown>>
  const copied = Object.entries<string | undefined>(missingFrom).map(([field, from = '']) => [
    field,
    found[from],
  ])
  return { ...missing, ...Object.fromEntries(copied), ...row }
}

/** Returns the fields to which `Rows.add` adds. */
export function numbersOf<Row>({ fields }: PlainTable<Row>): string[] {
  return Object.entries<TSchema>(fields).flatMap(([field, schema]) => (Type.IsInteger(schema) ? [field] : []))
}

/** Returns a condition's fields, each with its comparison and its value. */
export function comparisonsIn<Row>(where: Where<Row>): [string, Comparison | '=', unknown][] {
  return Object.entries(where).flatMap(([field, wanted]): [string, Comparison | '=', unknown][] => {
    if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return [[field, '=', wanted]]
    return Object.entries(wanted).map(([comparison, value]) => [field, comparison as Comparison, value])
  })
}

/** A page of a list. Its number begins with 1. */
export interface PageOfList {
  page: number
  perPage: number
}

/** `count` counts the whole list, even on a page after its end. */
export interface Listed<T> {
  items: T[]
  count: number
}
