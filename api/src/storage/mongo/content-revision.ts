import type { Collection } from 'mongodb'
import { newId } from '../model/ids.ts'
import type { ContentRevisionRepository } from '../model/storage.ts'
import type { MetaDoc } from './collections.ts'
import { isDuplicate } from './outage.ts'

const ID = 'edition'

/** A random text and no counter: two processes that advance at once write different texts. */
export function openContentRevision(meta: Collection<MetaDoc>): ContentRevisionRepository {
  return {
    async read() {
      return (await meta.findOne({ _id: ID }))?.edition ?? ''
    },
    async advance() {
      const advance = () => meta.updateOne({ _id: ID }, { $set: { edition: newId() } }, { upsert: true })
      try {
        await advance()
      } catch (error) {
        // Two processes upserted at once: the document exists now.
        if (!isDuplicate(error)) throw error
        await advance()
      }
    },
  }
}
