import type { Db, Document } from 'mongodb'
import { ANSWER_TIMEOUT_MS, type MongoConnection } from '../../src/storage/mongo/connection.ts'
import { openGuard } from '../../src/storage/mongo/guard.ts'
import { type Conditions, IdNames, openCalls } from './memory-mongo-calls.ts'
import { MemoryCollection } from './memory-mongo-collection.ts'
import { shown } from './memory-mongo-cursor.ts'
import { MemoryReplicas } from './memory-mongo-replicas.ts'

/**
 * Stands in for MongoDB in one process, at the seam of the driver's collections, so that a scheduler decides when each
 * operation of each simulated process is applied. It passes the storage contract with the adapter.
 *
 * It has this part of the driver, which is all that the adapter uses between `connectMongo` and `close`:
 * - Db: collection.
 * - Collection: collectionName, find, findOne, countDocuments, estimatedDocumentCount, distinct, aggregate, insertOne,
 *   insertMany, updateOne, updateMany, replaceOne, deleteOne, deleteMany, findOneAndUpdate, bulkWrite, createIndexes,
 *   indexes, and listIndexes. An option that none of them knows is an error.
 * - FindCursor: sort, skip, limit, batchSize, project, toArray, and iteration. AggregationCursor: toArray.
 * - GridFSBucket is the driver's own, on these collections. Its chunks have random IDs, which nothing reads.
 * - Client, sessions, transactions, change streams, and commands are missing, because the adapter uses none.
 *
 * mingo has the operators of filters, updates, projections, and pipelines. Unique and partial indexes, sorting, upserts,
 * batches, and errors are written here. A read of one batch is a step, and so is a write of one document: other processes
 * can act between two documents of `updateMany`, `deleteMany`, `insertMany`, and `bulkWrite`. See `Cut` for the ways in
 * which a step fails, and `Conditions` for what the driver repeats and when the majority has a write.
 *
 * It differs from a server here: an update that a server refuses for its types does something, a find without a sort has
 * the order of insertion, and ranges of texts in filters compare UTF-16 code units.
 */
export class MemoryMongo {
  readonly #conditions: Conditions
  readonly #replicas: MemoryReplicas
  readonly #names = new IdNames()

  constructor(conditions: Conditions) {
    this.#conditions = conditions
    this.#replicas = new MemoryReplicas(conditions.commitsApart ?? false, conditions.isFull ?? (() => false))
  }

  /** Connects one process, as `connectMongo` does. */
  connect(actor: string): MongoConnection {
    const { guard, shut } = openGuard(ANSWER_TIMEOUT_MS)
    const { isReplicated = true } = this.#conditions
    return {
      db: this.db(actor),
      majority: isReplicated ? { readConcern: { level: 'majority' } } : {},
      guard,
      close: shut,
    }
  }

  db(actor: string): Db {
    const calls = openCalls(this.#conditions, { replicas: this.#replicas, names: this.#names }, actor)
    const collection = (name: string) => new MemoryCollection(this.#replicas.collection(name), calls)
    return { collection } as unknown as Db
  }

  /** Reads a collection at once, without a step, as the primary has it. */
  documents(name: string): Document[] {
    return shown(this.#replicas.collection(name).primary.find({}))
  }

  /** The majority gets all writes, as it does after a while even when the writer has died. */
  commit(): void {
    this.#replicas.commit()
  }

  /** Another node becomes the primary. Writes that the majority lacks are rolled back, and open cursors end. */
  failOver(): void {
    this.#replicas.failOver()
  }
}
