import { type BlogRecord, type BlogRepository, uploadsIn } from '../model/blogs.ts'
import type { Collections } from './collections.ts'
import type { MongoConnection } from './connection.ts'

/** What a document of a post holds besides: the hashes of the uploads that it shows. */
export function uploadsOf({ img, content }: BlogRecord): { uploads: string[] } {
  return { uploads: uploadsIn(img, content) }
}

export function openReferences(
  { blogs }: Collections,
  majority: MongoConnection['majority'],
): BlogRepository['refersTo'] {
  return async (uploadUrl) => {
    const filter = { uploads: { $in: uploadsIn(uploadUrl) } }
    return (await blogs.findOne(filter, { ...majority, projection: { _id: 1 } })) !== null
  }
}
