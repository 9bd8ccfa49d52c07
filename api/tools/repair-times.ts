import { readStoreLocation } from '../src/env/env.ts'
import { commandLine } from '../src/installation.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { lockTarget, runTool, UsageError } from './copying.ts'

const USAGE = `Usage: ${commandLine('repair-times')}
  Sets every time in the future to now, in the store in DATA_DIR or at MONGODB_URL, after the clock was wrong. First
  check that the clock is right (date -u). No server may use the store until this ends.`

await runTool(async () => {
  if (process.argv.length > 2) throw new UsageError(USAGE)
  const place = readStoreLocation()
  const storage = await openStorage(place)
  try {
    await lockTarget(place)
    const now = new Date()
    const rows = await storage.repairTimes(now.getTime())
    return rows === 0
      ? `No row is dated after ${now.toISOString()}.`
      : `Rows dated after ${now.toISOString()} and set to that time: ${rows}.`
  } finally {
    await storage.close()
  }
})
