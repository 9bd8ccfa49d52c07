import { readStoreLocation } from '../src/env.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { lockTarget, runTool, UsageError } from './copying.ts'

const USAGE = `Usage: npm run repair-times
  Sets every time that is later than now to now, in the store in DATA_DIR or at MONGODB_URL: for when the clock was
  wrong. Check first that the clock is right now (date -u). No server may use the store until this has ended.`

await runTool(async () => {
  if (process.argv.length > 2) throw new UsageError(USAGE)
  const place = readStoreLocation()
  const storage = await openStorage(place)
  try {
    await lockTarget(place)
    const now = new Date()
    const rows = await storage.repairTimes(now.getTime())
    return rows === 0
      ? `Nothing is dated later than ${now.toISOString()}.`
      : `${rows} rows were dated later than ${now.toISOString()}, and are dated so now.`
  } finally {
    await storage.close()
  }
})
