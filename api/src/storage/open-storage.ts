import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Storage } from './storage.ts'

/** The embedded database in DATA_DIR; the file is readable by its owner only. */
export async function openStorage({ dataDir }: { dataDir: string }): Promise<Storage> {
  // Loaded here so that a driver that is not used is never loaded.
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'chat.sqlite')
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  return openSqlite(file)
}
