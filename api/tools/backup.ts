import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { readStoreLocation } from '../src/env/env.ts'
import { commandLine } from '../src/installation.ts'
import { writeBackup } from '../src/storage/files/backup-file.ts'
import { openCopySource } from '../src/storage/open-storage.ts'
import { createProgress, fileArgument, listCounts, runTool } from './copying.ts'

const USAGE = `Usage: ${commandLine('backup', 'FILE')}
  Writes everything in the store in DATA_DIR or at MONGODB_URL to one new file that only you can read. The server may
  be running.`

// A server on this machine goes first. Threads that begin from now on inherit this.
setPriority(constants.priority.PRIORITY_LOW)
await runTool(async () => {
  const file = resolve(fileArgument(USAGE))
  const source = await openCopySource(readStoreLocation())
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  try {
    const progress = createProgress(await source.counts())
    const counts = await writeBackup(source, file, {
      onProgress: (table, done) => progress.on(table, done, 'written'),
      signal: stopped.signal,
    }).finally(progress.end)
    return `${file} holds ${listCounts(counts)}.`
  } catch (error) {
    throw stopped.signal.aborted ? new Error('Stopped: no backup was written.') : error
  } finally {
    await source.close()
  }
})
