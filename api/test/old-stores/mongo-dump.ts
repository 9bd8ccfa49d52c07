import { gunzipSync, gzipSync } from 'node:zlib'
import { BSON, type Db, type Document, type IndexDescription } from 'mongodb'

export interface Dump {
  [collection: string]: { indexes: IndexDescription[]; documents: Document[] }
}

/** Everything in a database, with the indexes of its collections. */
export async function dump(db: Db, indexes: Record<string, IndexDescription[]>): Promise<Dump> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  const names = collections.map(({ name }) => name).sort()
  const dumped = names.map(async (name) => {
    const documents = await db.collection(name).find().toArray()
    return [name, { indexes: indexes[name] ?? [], documents }] as const
  })
  return Object.fromEntries(await Promise.all(dumped))
}

/** Into an empty database. */
export async function load(db: Db, dumped: Dump): Promise<void> {
  for (const [name, { indexes, documents }] of Object.entries(dumped)) {
    // One at a time: not every server accepts several.
    for (const index of indexes) await db.collection(name).createIndexes([index])
    if (documents.length > 0) await db.collection(name).insertMany(documents)
  }
}

export function packed(dumped: Dump): Buffer {
  return gzipSync(BSON.EJSON.stringify(dumped), { level: 9 })
}

export function unpacked(bytes: Buffer): Dump {
  return BSON.EJSON.parse(gunzipSync(bytes).toString())
}
