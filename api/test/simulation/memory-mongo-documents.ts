import { Context } from 'mingo/core'
import * as queryOperators from 'mingo/operators/query'
import { Query } from 'mingo/query'
import { update } from 'mingo/updater'
import { compare, resolve } from 'mingo/util'
import { BSON, type Document, type IndexDescription, MongoServerError, ObjectId } from 'mongodb'

/** A stored document. Its place in the natural order stays when the document changes. */
export interface Stored {
  readonly place: number
  document: Document
  bytes: Uint8Array
}

/** Filters need no other operators, and mingo copies the list with each filter. */
const FILTERS = { context: Context.init({ query: queryOperators }) }

/** A write to one document: its bytes, or null when it is removed. */
export interface Change {
  _id: unknown
  bytes: Uint8Array | null
}

export type Sort = Readonly<Record<string, number>>

/**
 * One collection: its documents, its unique indexes, and lookups by the first field of each index, which only save time.
 * A document goes in and out as BSON, as through a connection.
 */
export class MemoryDocuments {
  readonly name: string
  readonly indexes: IndexDescription[] = [{ name: '_id_', key: { _id: 1 } }]
  readonly #byId = new Map<string, Stored>()
  readonly #uniques: Unique[] = []
  readonly #lookups = new Map<string, Map<string, Set<Stored>>>()
  readonly #expectRoom: () => void
  readonly #onChange: (change: Change) => void
  #places = 0

  /** @param expectRoom throws when nothing can be written */
  constructor(name: string, expectRoom: () => void, onChange: (change: Change) => void = () => {}) {
    this.name = name
    this.#expectRoom = expectRoom
    this.#onChange = onChange
  }

  get size(): number {
    return this.#byId.size
  }

  hasIndex({ name }: IndexDescription): boolean {
    return this.indexes.some((index) => index.name === name)
  }

  createIndex(description: IndexDescription): void {
    if (this.hasIndex(description)) return
    const [first = ''] = Object.keys(description.key)
    if (first !== '_id' && !this.#lookups.has(first)) {
      const lookup = new Map<string, Set<Stored>>()
      this.#lookups.set(first, lookup)
      for (const stored of this.#byId.values()) enter(lookup, stored, keysIn(stored.document, first))
    }
    if (description.unique) {
      const unique = new Unique(this.name, description)
      for (const stored of this.#byId.values()) {
        unique.expectFree(stored.document)
        unique.add(stored)
      }
      this.#uniques.push(unique)
    }
    this.indexes.push(description)
  }

  /** Stores the document in place of `before`. Throws the server's error when a unique index refuses it. */
  put(document: Document, before?: Stored): Stored {
    const bytes = bytesOf(document)
    const after = BSON.deserialize(bytes)
    const id = keyOf(after._id)
    if (before === undefined && this.#byId.has(id)) throw duplicate(this.name, '_id_', { _id: after._id })
    if (before !== undefined && keyOf(before.document._id) !== id) throw changedId()
    for (const unique of this.#uniques) unique.expectFree(after, before)
    this.#expectRoom()
    const stored = before ?? { place: this.#places++, document: {}, bytes }
    const former = before?.document
    for (const unique of this.#uniques) if (before !== undefined) unique.remove(before)
    stored.document = after
    stored.bytes = bytes
    for (const unique of this.#uniques) unique.add(stored)
    for (const [field, lookup] of this.#lookups) move(lookup, stored, field, former)
    if (before === undefined) this.#byId.set(id, stored)
    this.#onChange({ _id: after._id, bytes })
    return stored
  }

  remove(stored: Stored): void {
    this.#expectRoom()
    this.#byId.delete(keyOf(stored.document._id))
    for (const unique of this.#uniques) unique.remove(stored)
    for (const [field, lookup] of this.#lookups) leave(lookup, stored, keysIn(stored.document, field))
    this.#onChange({ _id: stored.document._id, bytes: null })
  }

  /** Repeats a change of another copy of the collection. */
  apply({ _id, bytes }: Change): void {
    const stored = this.#byId.get(keyOf(_id))
    if (bytes !== null) this.put(BSON.deserialize(bytes), stored)
    else if (stored !== undefined) this.remove(stored)
  }

  /** Forgets its documents and takes those of another copy, which is no change. */
  becomeLike(other: MemoryDocuments): void {
    this.#byId.clear()
    for (const lookup of this.#lookups.values()) lookup.clear()
    for (const unique of this.#uniques) unique.clear()
    for (const { document, bytes, place } of other.find({})) {
      const stored = { document, bytes, place }
      this.#byId.set(keyOf(document._id), stored)
      for (const unique of this.#uniques) unique.add(stored)
      for (const [field, lookup] of this.#lookups) enter(lookup, stored, keysIn(document, field))
      this.#places = Math.max(this.#places, place + 1)
    }
  }

  /**
   * Finds documents in their natural order. The scan goes on where it was when documents change between two of its steps,
   * as a server's scan does.
   */
  *scan(filter: Document): Generator<Stored> {
    const query = new Query(filter, FILTERS)
    const seen = new Set<Stored>()
    for (const candidates of this.#candidates(filter)) {
      for (const stored of candidates) {
        if (seen.has(stored) || !query.test(stored.document)) continue
        seen.add(stored)
        yield stored
      }
    }
  }

  find(filter: Document, sort: Sort = {}): Stored[] {
    return [...this.scan(filter)].sort(inOrder(sort))
  }

  /** Returns sets that together contain each document that the filter can match. */
  #candidates(filter: Document): Iterable<Iterable<Stored>> {
    const ids = '_id' in filter ? equalTo(filter._id) : null
    if (ids !== null) return this.#withIds(ids)
    let fewest: Set<Stored>[] | null = null
    for (const [field, condition] of Object.entries(filter)) {
      const lookup = this.#lookups.get(field)
      const wanted = lookup === undefined ? null : equalTo(condition)
      if (wanted === null) continue
      const sets = wanted.map((key) => lookup?.get(key) ?? new Set<Stored>())
      if (fewest === null || sizeOf(sets) < sizeOf(fewest)) fewest = sets
    }
    return fewest ?? [this.#byId.values()]
  }

  /** Looks for each document when its turn comes, because it may have been removed since the scan began. */
  *#withIds(ids: readonly string[]): Generator<Stored[]> {
    for (const id of ids) {
      const stored = this.#byId.get(id)
      if (stored !== undefined) yield [stored]
    }
  }
}

/** Returns a copy as the receiver of BSON has it, without undefined fields. */
export function copied<T extends object>(document: T): T {
  return BSON.deserialize(bytesOf(document)) as T
}

/** Returns the document after an update with operators, or the replacement. The document itself stays as it is. */
export function changed(document: Document, change: Document): Document {
  const isUpdate = Object.keys(change).some((field) => field.startsWith('$'))
  if (!isUpdate) return { _id: document._id, ...change }
  const { $setOnInsert: _, ...operators } = change
  const after = copied(document)
  update(after, operators)
  return after
}

/** Returns the document that an upsert inserts: the filter's equal fields, changed. */
export function upserted(filter: Document, change: Document): Document {
  const begun = Object.fromEntries(Object.entries(filter).filter(([, value]) => isScalar(value)))
  const { $setOnInsert = {}, $set = {}, ...rest } = change
  const { _id, ...set } = { ...$setOnInsert, ...$set }
  const isReplacement = !Object.keys(change).some((field) => field.startsWith('$'))
  if (isReplacement) return { _id: begun._id, ...change }
  const insert = { ...rest, ...(Object.keys(set).length > 0 && { $set: set }) }
  return changed({ ...begun, ...(_id !== undefined && { _id }) }, insert)
}

/** Compares as a server sorts: a missing field equals null, and texts are in the order of their code points. */
export function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  return compare(one ?? null, other ?? null)
}

export function inOrder(sort: Sort) {
  const fields = Object.entries(sort)
  return (one: Pick<Stored, 'document' | 'place'>, other: Pick<Stored, 'document' | 'place'>): number => {
    for (const [field, direction] of fields) {
      const order = compareValues(resolve(one.document, field), resolve(other.document, field))
      if (order !== 0) return order * direction
    }
    return one.place - other.place
  }
}

/** Returns a text that two values share only if a server's index counts them as equal. */
export function keyOf(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  if (value instanceof ObjectId) return `id ${value.toHexString()}`
  if (typeof value === 'object') return `bson ${Buffer.from(BSON.serialize({ value })).toString('hex')}`
  return `${typeof value} ${value}`
}

/** A unique index. */
class Unique {
  readonly #collection: string
  readonly #description: IndexDescription
  readonly #covers: Query | null
  readonly #fields: string[]
  readonly #stored = new Map<string, Stored>()

  constructor(collection: string, description: IndexDescription) {
    this.#collection = collection
    this.#description = description
    const { partialFilterExpression: covers } = description
    this.#covers = covers === undefined ? null : new Query(covers, FILTERS)
    this.#fields = Object.keys(description.key)
    if (description.sparse) throw new Error('The memory server has no sparse unique indexes.')
  }

  expectFree(document: Document, except?: Stored): void {
    const key = this.#keyOf(document)
    const found = key === null ? undefined : this.#stored.get(key)
    if (found === undefined || found === except) return
    const values = this.#fields.map((field) => [field, resolve(document, field) ?? null])
    throw duplicate(this.#collection, this.#description.name ?? '', Object.fromEntries(values))
  }

  add(stored: Stored): void {
    const key = this.#keyOf(stored.document)
    if (key !== null) this.#stored.set(key, stored)
  }

  remove(stored: Stored): void {
    const key = this.#keyOf(stored.document)
    if (key !== null) this.#stored.delete(key)
  }

  clear(): void {
    this.#stored.clear()
  }

  #keyOf(document: Document): string | null {
    if (this.#covers?.test(document) === false) return null
    return this.#fields
      .map((field) => {
        const value = resolve(document, field)
        if (Array.isArray(value)) throw new Error('The memory server has no unique indexes of lists.')
        return keyOf(value)
      })
      .join('\n')
  }
}

function bytesOf(document: object): Uint8Array {
  return BSON.serialize(document, { ignoreUndefined: true })
}

function duplicate(collection: string, index: string, keyValue: object): MongoServerError {
  const keyPattern = Object.fromEntries(Object.keys(keyValue).map((field) => [field, 1]))
  const shown = JSON.stringify(keyValue)
  const message = `E11000 duplicate key error collection: ${collection} index: ${index} dup key: ${shown}`
  return new MongoServerError({ message, code: 11_000, keyPattern, keyValue })
}

function changedId(): MongoServerError {
  const message = "Performing an update on the path '_id' would modify the immutable field '_id'"
  return new MongoServerError({ message, code: 66 })
}

/** Returns the keys of the values that the condition demands, or null when it is not one of equality. */
function equalTo(condition: unknown): string[] | null {
  if (isScalar(condition)) return [keyOf(condition)]
  const { $in, $eq, $all } = condition as Document
  if ($eq !== undefined) return equalTo($eq)
  const values = $in ?? $all?.slice(0, 1)
  if (!Array.isArray(values)) return null
  const keys = values.map(equalTo)
  return keys.every((key) => key !== null) ? [...new Set(keys.flat())] : null
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof ObjectId
}

/** Returns the keys under which an index lists the document: those of a list's elements, too. */
function keysIn(document: Document, field: string): string[] {
  const value = resolve(document, field)
  return Array.isArray(value) ? [...new Set([value, ...value].map(keyOf))] : [keyOf(value)]
}

type Lookup = Map<string, Set<Stored>>

function move(lookup: Lookup, stored: Stored, field: string, former: Document | undefined): void {
  const after = keysIn(stored.document, field)
  if (former !== undefined) {
    const before = keysIn(former, field)
    if (before.join('\n') === after.join('\n')) return
    leave(lookup, stored, before)
  }
  enter(lookup, stored, after)
}

function enter(lookup: Lookup, stored: Stored, keys: readonly string[]): void {
  for (const key of keys) {
    const set = lookup.get(key)
    if (set === undefined) lookup.set(key, new Set([stored]))
    else set.add(stored)
  }
}

function leave(lookup: Lookup, stored: Stored, keys: readonly string[]): void {
  for (const key of keys) lookup.get(key)?.delete(stored)
}

const sizeOf = (sets: readonly Set<Stored>[]) => sets.reduce((sum, { size }) => sum + size, 0)
