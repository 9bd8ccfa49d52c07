import { aggregate } from 'mingo'
import { resolve } from 'mingo/util'
import {
  type AnyBulkWriteOperation,
  type BulkWriteResult,
  type Document,
  type IndexDescription,
  MongoBulkWriteError,
  MongoServerError,
  type WriteError,
} from 'mongodb'
import type { Calls } from './memory-mongo-calls.ts'
import { type FindOptions, MemoryCursor, shown, told } from './memory-mongo-cursor.ts'
import {
  changed,
  compareValues,
  copied,
  keyOf,
  type MemoryDocuments,
  upserted,
} from './memory-mongo-documents.ts'
import type { Replicated } from './memory-mongo-replicas.ts'

/** The options that mean something here, or nothing at all because a single server has all data. */
const KNOWN = new Set([
  ...[
    'sort',
    'skip',
    'limit',
    'batchSize',
    'projection',
    'promoteBuffers',
    'hint',
    'upsert',
    'returnDocument',
  ],
  ...['ordered', 'unique', 'readConcern', 'writeConcern', 'comment', 'timeoutMS'],
])

interface ReadOptions {
  readConcern?: { level: string }
  hint?: Document
}

interface UpdateOptions extends FindOptions {
  upsert?: boolean
  returnDocument?: 'before' | 'after'
}

type Statements<T> = Generator<undefined, T>

/** A collection as one process sees it: the part of the driver's `Collection` that the adapter uses. */
export class MemoryCollection {
  readonly #collection: Replicated
  readonly #calls: Calls

  constructor(collection: Replicated, calls: Calls) {
    this.#collection = collection
    this.#calls = calls
  }

  get #documents(): MemoryDocuments {
    return this.#collection.primary
  }

  #readBy({ readConcern }: ReadOptions): MemoryDocuments {
    return readConcern?.level === 'majority' ? this.#collection.majority : this.#documents
  }

  get collectionName(): string {
    return this.#documents.name
  }

  find(filter: Document = {}, options: FindOptions & ReadOptions = {}): MemoryCursor {
    expectKnown(options)
    return new MemoryCursor(this.#readBy(options), this.#calls, filter, options)
  }

  async findOne(filter: Document, options: FindOptions & ReadOptions = {}): Promise<Document | null> {
    const [found = null] = await this.find(filter, { ...options, limit: 1 }).toArray()
    return found
  }

  async countDocuments(filter: Document = {}, options: ReadOptions = {}): Promise<number> {
    expectKnown(options)
    const wanted = copied(filter)
    this.#expectHint(options)
    return this.#calls.read(this.#what('count', wanted), () => this.#readBy(options).find(wanted).length)
  }

  async estimatedDocumentCount(): Promise<number> {
    return this.#calls.read(this.#what('count all'), () => this.#documents.size)
  }

  async distinct(field: string, filter: Document = {}, options: ReadOptions = {}): Promise<unknown[]> {
    expectKnown(options)
    const wanted = copied(filter)
    return this.#calls.read(this.#what(`distinct ${field} in`, wanted), () => {
      const values = this.#readBy(options)
        .find(wanted)
        .flatMap(({ document }) => {
          const value = resolve(document, field)
          return Array.isArray(value) ? value : value === undefined ? [] : [value]
        })
      const distinct = new Map(values.map((value) => [keyOf(value), value]))
      return (copied({ values: [...distinct.values()] }).values as unknown[]).sort(compareValues)
    })
  }

  aggregate(pipeline: Document[], options: ReadOptions = {}) {
    expectKnown(options)
    const [first = {}, ...rest] = copied({ pipeline }).pipeline
    if (first.$match === undefined) throw new Error('An aggregation here begins with $match.')
    const apply = () => {
      const found = shown(this.#readBy(options).find(first.$match))
      return copied({ results: aggregate(found, rest) }).results as Document[]
    }
    return { toArray: () => this.#calls.read(this.#what('aggregate', pipeline), apply) }
  }

  async insertOne(document: Document, options: object = {}) {
    expectKnown(options)
    const added = inserted(document)
    await this.#calls.write(this.#what('insert', { _id: added._id }), () => this.#documents.put(added))
    return { acknowledged: true, insertedId: document._id }
  }

  async insertMany(documents: Document[], options: { ordered?: boolean } = {}) {
    await this.bulkWrite(
      documents.map((document) => ({ insertOne: { document } })),
      options,
    )
    return { acknowledged: true, insertedCount: documents.length }
  }

  async updateOne(filter: Document, change: Document, options: UpdateOptions = {}) {
    expectKnown(options)
    const apply = this.#updateOne(filter, change, options)
    return this.#calls.write(this.#what('update', { filter, change }), apply)
  }

  async replaceOne(filter: Document, replacement: Document, options: UpdateOptions = {}) {
    expectKnown(options)
    const apply = this.#updateOne(filter, replacement, options)
    return this.#calls.write(this.#what('replace', { filter }), apply)
  }

  async findOneAndUpdate(filter: Document, change: Document, options: UpdateOptions = {}) {
    const { returnDocument = 'before' } = options
    const { [returnDocument]: bytes } = await this.updateOne(filter, change, options)
    const [found = null] = bytes === null ? [] : shown([{ bytes }], options)
    return found
  }

  async deleteOne(filter: Document, options: object = {}) {
    expectKnown(options)
    return this.#calls.write(this.#what('delete', filter), this.#deleteOne(filter))
  }

  async updateMany(filter: Document, change: Document, options: object = {}) {
    expectKnown(options)
    const statements = this.#updateMany(filter, change)
    return this.#calls.writeAll(this.#what('update all', { filter, change }), statements, false)
  }

  async deleteMany(filter: Document, options: object = {}) {
    expectKnown(options)
    return this.#calls.writeAll(this.#what('delete all', filter), this.#deleteMany(filter), false)
  }

  /** Answers nothing, because the adapter reads no counts. */
  async bulkWrite(
    operations: readonly AnyBulkWriteOperation[],
    options: { ordered?: boolean } = {},
  ): Promise<void> {
    expectKnown(options)
    const kinds = operations.map((operation) => Object.keys(operation)[0])
    const statements = this.#bulk(operations, options.ordered ?? true)
    const isOfSingles = !kinds.includes('deleteMany')
    const errors = await this.#calls.writeAll(this.#what('write to', kinds), statements, isOfSingles)
    const [first] = errors
    if (first === undefined) return
    const result = { getWriteConcernError: () => undefined } as unknown as BulkWriteResult
    const { code, errmsg: message = '' } = first
    throw new MongoBulkWriteError({ message, code, writeErrors: errors }, result)
  }

  /** An index that is there needs no step, so that opening a store again takes few. */
  async createIndexes(descriptions: IndexDescription[]): Promise<string[]> {
    for (const description of descriptions) {
      if (this.#documents.hasIndex(description)) continue
      const what = this.#what(`create the index ${description.name} of`)
      await this.#calls.read(what, () => {
        this.#documents.createIndex(description)
        this.#collection.majority.createIndex(description)
      })
    }
    return descriptions.map(({ name = '' }) => name)
  }

  async indexes(): Promise<IndexDescription[]> {
    return [...this.#documents.indexes]
  }

  listIndexes() {
    return { toArray: () => this.indexes() }
  }

  #updateOne(filter: Document, change: Document, { upsert = false }: UpdateOptions) {
    const [wanted, to] = [copied(filter), copied(change)]
    const documents = this.#documents
    return () => {
      const [found] = documents.scan(wanted)
      const before = found?.bytes ?? null
      const document = found ? changed(found.document, to) : upsert ? upserted(wanted, to) : null
      const after = document && documents.put(document, found).bytes
      const isChanged = before !== null && after !== null && Buffer.compare(before, after) !== 0
      return {
        ...{ acknowledged: true, matchedCount: before === null ? 0 : 1, modifiedCount: isChanged ? 1 : 0 },
        ...{ upsertedCount: before === null && after !== null ? 1 : 0, before, after },
      }
    }
  }

  *#updateMany(filter: Document, change: Document) {
    const [wanted, to] = [copied(filter), copied(change)]
    const counts = { acknowledged: true, matchedCount: 0, modifiedCount: 0 }
    for (const found of this.#documents.scan(wanted)) {
      const before = found.bytes
      const { bytes } = this.#documents.put(changed(found.document, to), found)
      counts.matchedCount += 1
      counts.modifiedCount += Buffer.compare(before, bytes) === 0 ? 0 : 1
      yield undefined
    }
    return counts
  }

  #deleteOne(filter: Document) {
    const wanted = copied(filter)
    return () => {
      const [found] = this.#documents.scan(wanted)
      if (found !== undefined) this.#documents.remove(found)
      return { acknowledged: true, deletedCount: found === undefined ? 0 : 1 }
    }
  }

  *#deleteMany(filter: Document) {
    let deletedCount = 0
    for (const found of this.#documents.scan(copied(filter))) {
      this.#documents.remove(found)
      deletedCount += 1
      yield undefined
    }
    return { acknowledged: true, deletedCount }
  }

  /** Each operation is a step, and each document of a `deleteMany`. */
  *#bulk(operations: readonly AnyBulkWriteOperation[], isOrdered: boolean): Statements<WriteError[]> {
    const errors: WriteError[] = []
    for (const [index, operation] of operations.entries()) {
      try {
        yield* this.#operation(operation)
      } catch (error) {
        if (!(error instanceof MongoServerError)) throw error
        const { code, message: errmsg } = error
        errors.push({ index, code, errmsg } as WriteError)
        if (isOrdered) return errors
      }
      if (index < operations.length - 1) yield undefined
    }
    return errors
  }

  *#operation(operation: AnyBulkWriteOperation): Statements<void> {
    if ('insertOne' in operation) this.#documents.put(inserted(operation.insertOne.document))
    else if ('updateOne' in operation) {
      const { filter, update, upsert = false } = operation.updateOne
      this.#updateOne(filter, update as Document, { upsert })()
    } else if ('replaceOne' in operation) {
      const { filter, replacement, upsert = false } = operation.replaceOne
      this.#updateOne(filter, replacement, { upsert })()
    } else if ('deleteOne' in operation) this.#deleteOne(operation.deleteOne.filter)()
    else if ('deleteMany' in operation) yield* this.#deleteMany(operation.deleteMany.filter)
    else throw new Error(`The memory server has no ${Object.keys(operation)[0]} in bulk.`)
  }

  #what(what: string, values: object = {}): () => string {
    return () => `${what} ${this.collectionName} ${told(values)}`
  }

  #expectHint({ hint }: ReadOptions): void {
    const wanted = JSON.stringify(hint)
    if (hint === undefined || this.#documents.indexes.some(({ key }) => JSON.stringify(key) === wanted))
      return
    throw new MongoServerError({ message: 'hint provided does not correspond to an existing index', code: 2 })
  }
}

/** Returns the copy to store. IDs come from the adapter, because those of the driver are random. */
function inserted(document: Document): Document {
  if (document._id === undefined) throw new Error('A document here has its _id before it is inserted.')
  return copied(document)
}

function expectKnown(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !KNOWN.has(name)) throw new Error(`The memory server has no option ${name}.`)
  }
}
