import type { DocumentRepository } from '../documents.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections } from './documents.ts'
import { isDuplicate } from './outage.ts'

export function openDocuments(
  { documents }: Collections,
  settled: MongoConnection['settled'],
): DocumentRepository {
  return {
    async read<T>(name: string) {
      const found = await documents.findOne({ _id: name }, settled)
      return found === null ? null : { version: found.version, value: JSON.parse(found.value) as T }
    },

    async write(name, value, version) {
      const json = JSON.stringify(value)
      if (version > 0) {
        const update = { $set: { value: json, version: version + 1 } }
        const { modifiedCount } = await documents.updateOne({ _id: name, version }, update)
        return modifiedCount === 1
      }
      try {
        await documents.insertOne({ _id: name, version: 1, value: json })
        return true
      } catch (error) {
        if (isDuplicate(error)) return false
        throw error
      }
    },
  }
}
