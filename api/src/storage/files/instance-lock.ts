import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'

const RETRY_MS = 100
/** A server takes up to ten seconds to shut down after SIGTERM. */
const TIMEOUT_MS = 12_000

/**
 * These references keep the locks. The garbage collector closes an unreachable database, which would release its lock.
 */
const acquired: DatabaseSync[] = []

/**
 * Makes this process the owner of DATA_DIR until it exits. The operating system releases the lock even after a crash,
 * so no stale lock can remain. Tools that may run beside a server do not acquire it.
 * @see docs/decisions/0027-instance-lock.md
 * @param onWait called once when another process has the lock
 * @throws when the lock is not free within `timeoutMs`
 */
export async function acquireInstanceLock(
  dataDir: string,
  { timeoutMs = TIMEOUT_MS, onWait }: { timeoutMs?: number; onWait?: () => void } = {},
): Promise<void> {
  const file = join(dataDir, 'server.lock')
  closeSync(openSync(file, 'a', 0o600))
  const lock = new DatabaseSync(file, { timeout: 0 })
  const deadline = performance.now() + timeoutMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      lock.exec('BEGIN EXCLUSIVE')
      acquired.push(lock)
      return
    } catch (error) {
      const isTaken = (error as Error).message.includes('locked')
      if (!isTaken || performance.now() > deadline) {
        lock.close()
        if (!isTaken) throw error
        throw new Error(
          `Another process already uses ${dataDir}. Stop it, choose another DATA_DIR, or set MONGODB_URL and ` +
            'REDIS_URL to run several processes.',
        )
      }
    }
    if (attempt === 1) onWait?.()
    await wait(RETRY_MS)
  }
}
