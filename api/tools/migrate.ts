import { parseArgs } from 'node:util'
import { checkSource, copyStore } from '../src/backup/copy-store.ts'
import { readStoreLocation } from '../src/env/env.ts'
import { commandLine } from '../src/installation.ts'
import { ChainCheck } from '../src/storage/model/audit.ts'
import { openCopySource, openCopyTarget, type StoreLocation } from '../src/storage/open-storage.ts'
import { chainWords, createProgress, listCounts, lockTarget, runTool, UsageError } from './copying.ts'

const USAGE = `Usage: ${commandLine('migrate', '--from sqlite --to mongodb')}   (or the other way)
  Copies everything from the database in DATA_DIR to the empty one at MONGODB_URL and compares the two. The source is
  only read. Run it again to resume an interrupted copy, or to copy what has changed since, until a server has started
  on the target. Stop the source's server before the last run: what it stores during that run isn't copied.`

await runTool(async () => {
  const { from, to } = locationsToCopy()
  const source = await openCopySource(from)
  try {
    await checkSource(source)
    await lockTarget(to)
    const target = await openCopyTarget(to)
    try {
      const chain = new ChainCheck()
      const progress = createProgress(await source.counts())
      const counts = await copyStore(source, target, {
        ...{ as: 'it is', onProgress: progress.on, chain },
      }).finally(progress.end)
      return `Copied and verified by counts and hashes: ${listCounts(counts)}.${chainWords(chain)}`
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
})

function locationsToCopy(): { from: StoreLocation; to: StoreLocation } {
  const { from, to } = valuesOf()
  const { dataDir, mongodbUrl } = readStoreLocation()
  const locations = new Map<string | undefined, StoreLocation>([
    ['sqlite', { dataDir }],
    ['mongodb', { dataDir, mongodbUrl }],
  ])
  const [source, target] = [locations.get(from), locations.get(to)]
  if (source === undefined || target === undefined || from === to) throw new UsageError(USAGE)
  if (mongodbUrl === undefined) throw new UsageError('Set MONGODB_URL to the MongoDB database.')
  return { from: source, to: target }
}

function valuesOf() {
  try {
    return parseArgs({ options: { from: { type: 'string' }, to: { type: 'string' } } }).values
  } catch {
    throw new UsageError(USAGE)
  }
}
