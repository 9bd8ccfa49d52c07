import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Storage } from './storage.ts'
import type { UploadFiles } from './upload-files.ts'

/** Everything that lasts. Closing the storage closes the uploads too. */
export interface Stores {
  storage: Storage
  uploadFiles: UploadFiles
}

export interface Place {
  dataDir: string
  /** Set: MongoDB holds everything. Undefined: everything is in DATA_DIR. */
  mongodbUrl?: string | undefined
}

/** Only the driver that is used is ever loaded. */
export async function openStores({ dataDir, mongodbUrl }: Place): Promise<Stores> {
  if (mongodbUrl !== undefined) {
    const { openMongo } = await import('./mongo/open-mongo.ts')
    return openMongo(mongodbUrl)
  }
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  const { openFolder } = await import('./files/open-folder.ts')
  const storage = openSqlite(privateFile(dataDir))
  try {
    return { storage, uploadFiles: await openFolder(join(dataDir, 'uploads')) }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** The database's file, readable by its owner only. */
function privateFile(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'chat.sqlite')
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  return file
}
