import type { Collection, Db, Document, Filter, IndexDescription, IndexDirection } from 'mongodb'
import Type from 'typebox'
import {
  comparisonsIn,
  numbersOf,
  type Order,
  type PlainTable,
  type Rows,
  type Where,
  withMissing,
} from '../model/plain-table.ts'
import { type AuditedWrites, type Carried, UNAUDITED } from './audit-chain.ts'
import type { MongoConnection } from './connection.ts'
import { isDuplicate } from './outage.ts'

type PlainDocument = Document & { _id: string }

const OPERATORS = { '<': '$lt', '<=': '$lte', '>': '$gt', '>=': '$gte' } as const

/** What documents hold in addition to the row. */
export interface Besides<Row> {
  /** Returns the fields that a document has from its insertion on. */
  inserted?: () => object
  /** Returns the fields that a write of these fields also sets. */
  derived?: (set: Partial<Row>) => object
  /** The fields that distinguish this table's rows from others in the collection. */
  among?: object
}

/** Opens a plain table. A change to one row, found by its key, also stores the audit entry that is due. */
export function openRows<Row extends object>(
  db: Db,
  majority: MongoConnection['majority'],
  table: PlainTable<Row>,
  audited: AuditedWrites = UNAUDITED,
  { inserted, derived, among = {} }: Besides<Row> = {},
): Rows<Row> {
  const collection: Collection<PlainDocument> = db.collection(table.name)

  function filterOf(where: Where<Row>): Filter<PlainDocument> {
    return { ...filterIn(table, where), ...among }
  }

  function changeOf(set: Partial<Row>, push: Carried['push']): Document {
    const fields = Object.entries(set).map(([field, value]) => [field, fieldOf(table, field, value)])
    return { $set: { ...Object.fromEntries(fields), ...derived?.(set) }, ...push }
  }

  return {
    async find(where, { fromPrimary } = {}) {
      const found = await collection.findOne(filterOf(where), fromPrimary ? {} : majority)
      return found === null ? null : plainRow(table, found)
    },

    async list(where, { order, limit = 0, offset = 0, only, fromPrimary }) {
      const projection = only && Object.fromEntries(only.map((field) => [field, 1]))
      const options = { ...(!fromPrimary && majority), ...(projection && { projection }) }
      const found = collection.find(filterOf(where), options).sort(orderOf(table, order))
      return (await found.skip(offset).limit(limit).toArray()).map((document) =>
        plainRow(table, document, only),
      )
    },

    count(where = {}) {
      const filter = filterOf(where)
      if (Object.keys(filter).length > 0) return collection.countDocuments(filter, majority)
      // An estimated count would be free, but is wrong after a crash.
      const hint = indexesOf(table)[0]?.key as Record<string, IndexDirection>
      return collection.countDocuments(filter, { ...majority, hint })
    },

    async insert(row) {
      const document = { ...plainDocument(table, row), ...derived?.(row), ...among }
      return audited.change(
        { collection: table.name, _id: document._id },
        async ({ field }) => {
          try {
            await collection.insertOne({ ...document, ...field, ...inserted?.() })
            return true
          } catch (error) {
            if (isDuplicate(error)) return false
            throw error
          }
        },
        (isInserted) => isInserted,
      )
    },

    async update(where, set) {
      const filter = filterOf(where)
      return audited.change(
        { collection: table.name, _id: filter._id as string },
        async ({ push }): ReturnType<Rows<Row>['update']> => {
          try {
            const { matchedCount } = await collection.updateOne(filter, changeOf(set, push))
            return matchedCount === 0 ? 'missing' : 'updated'
          } catch (error) {
            if (isDuplicate(error)) return 'duplicate'
            throw error
          }
        },
        (outcome) => outcome === 'updated',
      )
    },

    async change(where, set) {
      const filter = filterOf(where)
      return audited.change(
        { collection: table.name, _id: filter._id as string },
        async ({ push }) => {
          const changed = await collection.findOneAndUpdate(filter, changeOf(set, push), {
            returnDocument: 'after',
          })
          return changed === null ? null : plainRow(table, changed)
        },
        (row) => row !== null,
      )
    },

    async add(row) {
      const { _id, ...rest } = plainDocument(table, row)
      const numbers = numbersOf(table)
      const fields = Object.entries(rest)
      const $inc = Object.fromEntries(fields.filter(([field]) => numbers.includes(field)))
      const $setOnInsert = Object.fromEntries(fields.filter(([field]) => !numbers.includes(field)))
      const add = () => collection.updateOne({ _id }, { $inc, $setOnInsert } as Document, { upsert: true })
      try {
        await add()
      } catch (error) {
        // Two processes upserted at once, so the document exists now.
        if (!isDuplicate(error)) throw error
        await add()
      }
    },

    async remove(where) {
      const filter = filterOf(where)
      // After an outage, the driver repeats only the removal of one document.
      const one = typeof where[table.key] === 'string'
      return audited.remove(
        { collection: table.name, filter },
        async () => (await (one ? collection.deleteOne(filter) : collection.deleteMany(filter))).deletedCount,
        (removed) => removed > 0,
      )
    },
  }
}

export function indexesOf<Row>(table: PlainTable<Row>): IndexDescription[] {
  return Object.entries(table.indexes).map(([name, { by, unique }]) => ({
    name,
    key: orderOf(table, by),
    ...(unique && { unique }),
  }))
}

/** Converts a row to a document. The key becomes the `_id`. Lists become JSON, because updates name their old value. */
export function plainDocument<Row extends object>(table: PlainTable<Row>, row: Row): PlainDocument {
  const { [table.key]: key, ...rest } = row
  const fields = Object.entries(rest).map(([field, value]) => [field, fieldOf(table, field, value)])
  const document = { _id: key as string, ...Object.fromEntries(fields) }
  return hasKeyInIndex(table) ? { ...document, id: key } : document
}

function fieldOf<Row>(table: PlainTable<Row>, field: string, value: unknown): unknown {
  return Array.isArray(value) && isJson(table, field) ? JSON.stringify(value) : value
}

function isJson<Row>({ fields, native = [] }: PlainTable<Row>, field: string): boolean {
  return Type.IsArray(fields[field as keyof Row]) && !native.includes(field as keyof Row)
}

export function plainRow<Row>(
  table: PlainTable<Row>,
  document: PlainDocument,
  only: readonly string[] = Object.keys(table.fields),
): Row {
  const stored: Record<string, unknown> = { ...withMissing(table, document), [table.key]: document._id }
  const values = only.map((field) => {
    const schema = table.fields[field as keyof Row] as Type.TSchema
    // Some servers store true as 1 in updates.
    if (Type.IsBoolean(schema)) return [field, Boolean(stored[field])]
    return [field, isJson(table, field) ? JSON.parse(stored[field] as string) : stored[field]]
  })
  return Object.fromEntries(values) as Row
}

function filterIn<Row>(table: PlainTable<Row>, where: Where<Row>): Filter<PlainDocument> {
  const filter: Record<string, unknown> = {}
  for (const [field, comparison, value] of comparisonsIn(where)) {
    const name = field === table.key ? '_id' : field
    // Documents from older releases lack the field, which counts as this value.
    if (comparison === '=' && value !== null && value === missingIn(table, field))
      filter[name] = { $in: [value, null] }
    else if (comparison === '=') filter[name] = fieldOf(table, field, value)
    else filter[name] = { ...(filter[name] as object | undefined), [OPERATORS[comparison]]: value }
  }
  return filter as Filter<PlainDocument>
}

function missingIn<Row>({ missing }: PlainTable<Row>, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => (value as Document | undefined)?.[name], missing)
}

/**
 * Returns the sort order. Documents repeat `_id` as `id`, because not every server supports `_id` in a compound index.
 */
function orderOf<Row>({ key }: PlainTable<Row>, order: Order<Row>): Record<string, 1 | -1> {
  const fields = Object.entries<1 | -1 | undefined>(order)
  const keyField = fields.length === 1 ? '_id' : 'id'
  return Object.fromEntries(
    fields.map(([field, direction = 1]) => [field === key ? keyField : field, direction]),
  )
}

function hasKeyInIndex<Row>({ key, indexes }: PlainTable<Row>): boolean {
  return Object.values(indexes).some(({ by }) => key in by)
}
