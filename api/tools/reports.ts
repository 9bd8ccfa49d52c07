import { parseArgs } from 'node:util'
import { readStoreLocation } from '../src/env/env.ts'
import { createDeriver } from '../src/reports/deriver.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { problemOf } from './copying.ts'

const USAGE = `Usage: npm run reports -- rebuild
  Removes the figures of reports and derives them again from the store. Figures of erased conversations stay.
The server may be running: its reports are incomplete until this ends. DATA_DIR or MONGODB_URL selects the store.`

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) console.log(USAGE)
  else if (positionals.join(' ') === 'rebuild') await rebuild()
  else throw new Error(USAGE)
} catch (error) {
  console.error(await problemOf(error))
  process.exitCode = 1
}

async function rebuild(): Promise<void> {
  const storage = await openStorage(readStoreLocation())
  try {
    await storage.reports.clear()
    await createDeriver({ storage, now: Date.now }).derive()
    console.log('The report figures were rebuilt.')
  } finally {
    await storage.close()
  }
}
