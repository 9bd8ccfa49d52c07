import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStores } from '../src/storage/open-storage.ts'

let made: Promise<Buffer> | undefined

/**
 * Puts a new store into a folder that has none, so that opening it takes a tenth of the time. The tables are those of a
 * store that this process has let the product make: each new store has the same.
 */
export async function putEmptyStore(dataDir: string): Promise<void> {
  // A folder with uploads but without a database counts as a lost database.
  if (['chat.sqlite', 'uploads'].some((name) => existsSync(join(dataDir, name)))) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  made ??= make()
  writeFileSync(join(dataDir, 'chat.sqlite'), await made)
}

async function make(): Promise<Buffer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-empty-'))
  const { storage } = await openStores({ dataDir })
  await storage.close()
  const file = readFileSync(join(dataDir, 'chat.sqlite'))
  rmSync(dataDir, { recursive: true })
  return file
}
