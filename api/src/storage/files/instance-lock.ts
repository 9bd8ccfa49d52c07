import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'

const TRY_AGAIN_MS = 100
/** A predecessor that was told to end may take ten seconds. */
const PATIENCE_MS = 12_000

/** Kept for as long as the process lives: what is collected is closed, and lets go. */
const held: DatabaseSync[] = []

/**
 * Makes this process the only one that serves from the folder, until it ends, however it ends: the lock is the
 * system's and no mark that could be left behind. Tools that work beside a server do not ask for it.
 * @param onWait told once, when another process has it
 * @throws when that one keeps it
 */
export async function holdFolder(
  dataDir: string,
  { patienceMs = PATIENCE_MS, onWait }: { patienceMs?: number; onWait?: () => void } = {},
): Promise<void> {
  const file = join(dataDir, 'server.lock')
  closeSync(openSync(file, 'a', 0o600))
  const lock = new DatabaseSync(file, { timeout: 0 })
  const deadline = performance.now() + patienceMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      lock.exec('BEGIN EXCLUSIVE')
      held.push(lock)
      return
    } catch (error) {
      const isTaken = (error as Error).message.includes('locked')
      if (!isTaken || performance.now() > deadline) {
        lock.close()
        if (!isTaken) throw error
        throw new Error(
          `Another process serves from ${dataDir} already. Stop it, choose another DATA_DIR, or set MONGODB_URL and ` +
            'REDIS_URL, with which several processes can serve together.',
        )
      }
    }
    if (attempt === 1) onWait?.()
    await wait(TRY_AGAIN_MS)
  }
}
