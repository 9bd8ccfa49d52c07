import { find } from 'mingo'
import { BSON, type Document } from 'mongodb'
import type { Calls } from './memory-mongo-calls.ts'
import { copied, inOrder, type MemoryDocuments, type Sort, type Stored } from './memory-mongo-documents.ts'

/** The documents of a first batch whose size nothing names, as on a server. */
const FIRST_BATCH = 101

export interface FindOptions {
  sort?: Sort
  skip?: number
  limit?: number
  batchSize?: number
  projection?: Document
  promoteBuffers?: boolean
}

type Place = Pick<Stored, 'document' | 'place'>

interface Batch {
  shown: Document[]
  last: Place | null
  term: number
}

/**
 * A cursor of documents. Each batch is a step, which goes on after the last document of the batch before, in the order
 * of the sort. So it shows what has changed since there, as a server's scan of an index does: it is no snapshot.
 */
export class MemoryCursor {
  readonly #documents: MemoryDocuments
  readonly #calls: Calls
  readonly #filter: Document
  readonly #options: FindOptions

  constructor(documents: MemoryDocuments, calls: Calls, filter: Document, options: FindOptions) {
    this.#documents = documents
    this.#calls = calls
    this.#filter = copied(filter)
    this.#options = { ...options }
  }

  sort(sort: Sort): this {
    return this.#with({ sort })
  }

  skip(skip: number): this {
    return this.#with({ skip })
  }

  limit(limit: number): this {
    return this.#with({ limit })
  }

  batchSize(batchSize: number): this {
    return this.#with({ batchSize })
  }

  project(projection: Document): this {
    return this.#with({ projection })
  }

  async toArray(): Promise<Document[]> {
    const all: Document[] = []
    for await (const document of this) all.push(document)
    return all
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Document, void, undefined> {
    const { sort = {}, skip = 0, limit = 0, batchSize } = this.#options
    let left = limit === 0 ? Number.POSITIVE_INFINITY : limit
    let last: Place | null = null
    let term: number | undefined
    do {
      const size = Math.min(left, batchSize ?? (last === null ? FIRST_BATCH : Number.POSITIVE_INFINITY))
      const batch: Batch = await this.#read(sort, last, skip, size, term)
      term = batch.term
      yield* batch.shown
      left -= size
      if (batch.shown.length < size) return
      last = batch.last
    } while (left > 0)
  }

  #read(sort: Sort, after: Place | null, skip: number, size: number, term?: number): Promise<Batch> {
    const order = inOrder(sort)
    const apply = () => {
      const found = this.#documents.find(this.#filter, sort)
      const from = after === null ? skip : found.findIndex((stored) => order(stored, after) > 0)
      const batch = from === -1 ? [] : found.slice(from, from + size)
      const last = batch.at(-1)
      return {
        shown: shown(batch, this.#options),
        term: this.#calls.term,
        // The stored document can change until the next batch.
        last: last === undefined ? null : { document: last.document, place: last.place },
      }
    }
    return this.#calls.read(() => this.#told(after === null), apply, term)
  }

  #told(isFirst: boolean): string {
    return `${isFirst ? 'find' : 'find more'} ${this.#documents.name} ${told(this.#filter)}`
  }

  #with(options: FindOptions): this {
    Object.assign(this.#options, options)
    return this
  }
}

/** Returns copies of stored documents for a reader. */
export function shown(
  stored: readonly Pick<Stored, 'bytes'>[],
  { projection = {}, promoteBuffers = false }: FindOptions = {},
): Document[] {
  const documents = stored.map(({ bytes }) => BSON.deserialize(bytes, { promoteBuffers }))
  return Object.keys(projection).length === 0 ? documents : find<Document>(documents, {}, projection).all()
}

/** Shows a filter or a change in one line of a report. */
export function told(value: object): string {
  const text = JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
