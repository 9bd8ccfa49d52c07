import { resolve } from 'node:path'
import { copyStore } from '../src/backup/copy-store.ts'
import { readStoreLocation } from '../src/env/env.ts'
import { commandLine } from '../src/installation.ts'
import { openBackup } from '../src/storage/files/backup-file.ts'
import { ChainCheck } from '../src/storage/model/audit.ts'
import { openCopyTarget } from '../src/storage/open-storage.ts'
import { chainWords, createProgress, fileArgument, listCounts, lockTarget, runTool } from './copying.ts'

const USAGE = `Usage: ${commandLine('restore', 'FILE')}
  Restores a backup into the empty store in DATA_DIR or at MONGODB_URL. No server may use the store until this ends. If
  it is interrupted, run it again to resume. All admins must sign in again, with their passwords from the backup.`

await runTool(async () => {
  const place = readStoreLocation()
  const backup = await openBackup(resolve(fileArgument(USAGE)))
  await lockTarget(place)
  const target = await openCopyTarget(place)
  try {
    const chain = new ChainCheck()
    const progress = createProgress(await backup.counts())
    const counts = await copyStore(backup, target, {
      ...{ as: 'restored', onProgress: progress.on, chain },
    }).finally(progress.end)
    const made = backup.release === undefined ? backup.at : `${backup.at}, made by ${backup.release},`
    return `Restored the backup of ${made} and verified it: ${listCounts(counts)}.${chainWords(chain)}`
  } finally {
    await target.close()
  }
})
