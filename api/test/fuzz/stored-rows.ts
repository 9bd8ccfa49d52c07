import { checked } from '../../src/storage/copy/checked-rows.ts'
import type { Entry } from '../../src/storage/copy/copied-tables.ts'
import { openCopySource } from '../../src/storage/open-storage.ts'

/** Checks that a backup of what was stored could be restored: each row has a form that a restore accepts. */
export async function checkStoredRows(dataDir: string): Promise<void> {
  const source = await openCopySource({ dataDir })
  let last: Entry | null = null
  async function* entries(): AsyncIterable<Entry> {
    for await (const entry of source.entries()) {
      last = entry
      yield entry
    }
  }
  try {
    for await (const _ of checked(entries())) {
      // `checked` throws for a row that it refuses.
    }
  } catch (error) {
    throw new Error(`${(error as Error).message} The row: ${JSON.stringify(last)?.slice(0, 2_000)}`)
  } finally {
    await source.close()
  }
}
