import type { Collection } from 'mongodb'
import { newId } from '../ids.ts'
import type { EditionRepository } from '../storage.ts'
import { isDuplicate } from './connection.ts'
import type { MetaDoc } from './documents.ts'

const ID = 'edition'

/** A random text and no counter: of two who advance at once, no reader takes one for the other. */
export function openEdition(meta: Collection<MetaDoc>): EditionRepository {
  return {
    async read() {
      return (await meta.findOne({ _id: ID }))?.edition ?? ''
    },
    async advance() {
      const advance = () => meta.updateOne({ _id: ID }, { $set: { edition: newId() } }, { upsert: true })
      try {
        await advance()
      } catch (error) {
        // Two made the document at once: it is there now.
        if (!isDuplicate(error)) throw error
        await advance()
      }
    },
  }
}
