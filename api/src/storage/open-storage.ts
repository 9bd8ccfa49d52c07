import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { CopySource, CopyTarget } from './copy/store-copy.ts'
import { ATTACHMENT_NAME } from './model/file-store.ts'
import type { Storage, Stores } from './model/storage.ts'
import type { UpgradeListeners } from './sqlite/open-database.ts'

export interface StoreLocation {
  dataDir: string
  /** Undefined for SQLite and folders of files in DATA_DIR. */
  mongodbUrl?: string | undefined
  /** The bound in bytes for all uploads together, and separately for all attachments. Undefined for no bound. */
  uploadsMaxBytes?: number | undefined
}

const DATABASE = 'chat.sqlite'
const UPLOADS = 'uploads'
const ATTACHMENTS = 'attachments'

/** On MongoDB an upgrade creates indexes and has no steps. */
interface StoreListeners extends UpgradeListeners {
  /** When given, the whole embedded database is checked. Called with damage that is found after the start. */
  onDamage?: (problem: Error) => void
}

/** Opens the stores. Loads only the driver in use. */
export async function openStores(
  { dataDir, mongodbUrl, uploadsMaxBytes }: StoreLocation,
  { onDamage, ...upgrade }: StoreListeners = {},
): Promise<Stores> {
  if (mongodbUrl !== undefined) {
    const { openMongo } = await import('./mongo/open-mongo.ts')
    return openMongo(mongodbUrl, uploadsMaxBytes, upgrade.onUpgraded)
  }
  const { openFolder } = await import('./files/open-folder.ts')
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  const { DatabaseHealth } = await import('./sqlite/database-health.ts')
  const file = await privateFile(dataDir)
  const health = new DatabaseHealth(file, onDamage)
  const storage = openSqlite(file, health, upgrade)
  try {
    if (onDamage !== undefined) await health.check()
    return {
      storage,
      uploadFiles: await openFolder(join(dataDir, UPLOADS), uploadsMaxBytes),
      attachmentFiles: await openFolder(join(dataDir, ATTACHMENTS), uploadsMaxBytes, ATTACHMENT_NAME),
    }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/**
 * Opens the store without its files, for tools that run beside a server. Opening a folder of files would remove the
 * server's unfinished ones.
 * @throws when there is no store, because it creates none
 */
export async function openStorage({ dataDir, mongodbUrl }: StoreLocation): Promise<Storage> {
  if (mongodbUrl !== undefined) {
    const { expectMongo } = await import('./mongo/schema.ts')
    await expectMongo(mongodbUrl)
    return (await openStores({ dataDir, mongodbUrl })).storage
  }
  const { expectDatabase } = await import('./sqlite/database-health.ts')
  expectDatabase(join(dataDir, DATABASE))
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  return openSqlite(await privateFile(dataDir))
}

/** Opens a store to copy from. The store is only read, and a server may use it during the copy. */
export async function openCopySource({ dataDir, mongodbUrl }: StoreLocation): Promise<CopySource> {
  if (mongodbUrl !== undefined) {
    const { readMongo } = await import('./mongo/copy.ts')
    return readMongo(mongodbUrl)
  }
  const { readSqlite } = await import('./sqlite/copy.ts')
  const { readFolder } = await import('./files/open-folder.ts')
  return readSqlite(join(dataDir, DATABASE), {
    uploads: readFolder(join(dataDir, UPLOADS)),
    attachmentFiles: readFolder(join(dataDir, ATTACHMENTS), ATTACHMENT_NAME),
  })
}

/** Opens a store to copy into. Creates a missing one. */
export async function openCopyTarget({ dataDir, mongodbUrl }: StoreLocation): Promise<CopyTarget> {
  if (mongodbUrl !== undefined) {
    const { fillMongo } = await import('./mongo/copy.ts')
    return fillMongo(mongodbUrl)
  }
  const { createMarked, fillSqlite } = await import('./sqlite/copy.ts')
  const { openFolder } = await import('./files/open-folder.ts')
  const { openDatabase } = await import('./sqlite/open-database.ts')
  const file = join(dataDir, DATABASE)
  const isNew = !existsSync(file) && !existsSync(join(dataDir, UPLOADS))
  if (isNew) createMarked(file)
  await privateFile(dataDir)
  // The tables are created first, because a folder of uploads without a database counts as a lost database.
  if (!isNew) openDatabase(file).close()
  return fillSqlite(file, {
    uploads: await openFolder(join(dataDir, UPLOADS)),
    attachmentFiles: await openFolder(join(dataDir, ATTACHMENTS), undefined, ATTACHMENT_NAME),
  })
}

/** Returns the path to the database's file, which only its owner can read. Throws when the database was lost. */
async function privateFile(dataDir: string): Promise<string> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, DATABASE)
  const { assertNotLost } = await import('./sqlite/database-health.ts')
  assertNotLost(file, join(dataDir, UPLOADS))
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  return file
}
