import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Storage } from './storage.ts'
import type { CopySource, CopyTarget } from './store-copy.ts'
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
  /** Of all uploaded pictures together. Unbounded unless given. */
  uploadsMaxBytes?: number | undefined
}

const DATABASE = 'chat.sqlite'
const UPLOADS = 'uploads'

/**
 * Only the driver that is used is ever loaded.
 * @param onDamage given: the whole embedded database is checked, and damage found after the start is told here
 */
export async function openStores(
  { dataDir, mongodbUrl, uploadsMaxBytes }: Place,
  onDamage?: (problem: Error) => void,
): Promise<Stores> {
  if (mongodbUrl !== undefined) {
    const { openMongo } = await import('./mongo/open-mongo.ts')
    return openMongo(mongodbUrl, uploadsMaxBytes)
  }
  const { openFolder } = await import('./files/open-folder.ts')
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  const { DatabaseHealth } = await import('./sqlite/database-health.ts')
  const file = await privateFile(dataDir)
  const health = new DatabaseHealth(file, onDamage)
  const storage = openSqlite(file, health)
  try {
    if (onDamage !== undefined) await health.check()
    return { storage, uploadFiles: await openFolder(join(dataDir, UPLOADS), uploadsMaxBytes) }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** All but the uploads, for who works beside a server: whoever opens their folder clears up what is half written. */
export async function openStorage({ dataDir, mongodbUrl }: Place): Promise<Storage> {
  if (mongodbUrl !== undefined) return (await openStores({ dataDir, mongodbUrl })).storage
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  return openSqlite(await privateFile(dataDir))
}

/** A store to copy from. Nothing is written there, and a server may use it meanwhile. */
export async function openCopySource({ dataDir, mongodbUrl }: Place): Promise<CopySource> {
  if (mongodbUrl !== undefined) {
    const { readMongo } = await import('./mongo/copy.ts')
    return readMongo(mongodbUrl)
  }
  const { readSqlite } = await import('./sqlite/copy.ts')
  const { readFolder } = await import('./files/open-folder.ts')
  return readSqlite(join(dataDir, DATABASE), readFolder(join(dataDir, UPLOADS)))
}

/** A store to copy into, made when there is none. */
export async function openCopyTarget({ dataDir, mongodbUrl }: Place): Promise<CopyTarget> {
  if (mongodbUrl !== undefined) {
    const { fillMongo } = await import('./mongo/copy.ts')
    return fillMongo(mongodbUrl)
  }
  const { fillSqlite } = await import('./sqlite/copy.ts')
  const { openFolder } = await import('./files/open-folder.ts')
  const { openDatabase } = await import('./sqlite/open-database.ts')
  const file = await privateFile(dataDir)
  // First the tables: where the folder of pictures is, there has been a database.
  openDatabase(file).close()
  return fillSqlite(file, await openFolder(join(dataDir, UPLOADS)))
}

/** The database's file, readable by its owner only. Throws when there was one before and it is gone. */
async function privateFile(dataDir: string): Promise<string> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, DATABASE)
  const { assertNotLost } = await import('./sqlite/database-health.ts')
  assertNotLost(file, join(dataDir, UPLOADS))
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  return file
}
