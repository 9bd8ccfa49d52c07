import { MongoServerError } from 'mongodb'
import { type Change, MemoryDocuments } from './memory-mongo-documents.ts'

const OUT_OF_DISK_SPACE = 14_031

/** A collection as the primary has it, and as the majority has it. */
export interface Replicated {
  primary: MemoryDocuments
  majority: MemoryDocuments
}

/**
 * A replica set: a primary, and a majority that has its writes up to a position. The two are the same unless writes are
 * committed apart.
 */
export class MemoryReplicas {
  readonly isApart: boolean
  readonly #isFull: () => boolean
  /** How many writes the primary has, those of former primaries included. */
  written = 0
  #committed = 0
  readonly #pending: { collection: Replicated; change: Change }[] = []
  readonly #collections = new Map<string, Replicated>()
  /** What the majority had at the end of each primary. */
  readonly #ends: number[] = []

  constructor(isApart: boolean, isFull: () => boolean) {
    this.isApart = isApart
    this.#isFull = isFull
  }

  /** The number of the primary. */
  get term(): number {
    return this.#ends.length
  }

  collection(name: string): Replicated {
    const known = this.#collections.get(name)
    if (known !== undefined) return known
    const expectRoom = () => {
      if (this.#isFull())
        throw new MongoServerError({ message: 'No space left on device', code: OUT_OF_DISK_SPACE })
    }
    const majority = new MemoryDocuments(name, this.isApart ? () => {} : expectRoom)
    const primary = this.isApart
      ? new MemoryDocuments(name, expectRoom, (change) => this.#write(name, change))
      : majority
    const collection = { primary, majority }
    this.#collections.set(name, collection)
    return collection
  }

  /** The majority gets the primary's writes up to this one, by default all. */
  commit(upTo = this.written): void {
    while (this.#committed < upTo) {
      const next = this.#pending.shift()
      if (next === undefined) return
      next.collection.majority.apply(next.change)
      this.#committed += 1
    }
  }

  /** Another node becomes the primary. It has what the majority has, and the other writes are rolled back. */
  failOver(): void {
    this.#ends.push(this.#committed)
    this.written = this.#committed
    this.#pending.length = 0
    for (const { primary, majority } of this.#collections.values()) {
      if (this.isApart) primary.becomeLike(majority)
    }
  }

  /** Returns whether a write of a former primary was rolled back. */
  isLost(term: number, position: number): boolean {
    const end = this.#ends[term]
    return this.isApart && end !== undefined && position > end
  }

  #write(name: string, change: Change): void {
    this.written += 1
    this.#pending.push({ collection: this.collection(name), change })
  }
}
