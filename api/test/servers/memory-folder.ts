import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * Puts temporary folders into memory where there is room: a store waits for its disk with each commit, and a power
 * failure is no test. They are removed at the end of this process.
 */
export function useMemoryForFolders(): void {
  if (!hasRoom()) return
  const folder = mkdtempSync(join(MEMORY, 'proctorpass-tests-'))
  process.env.TMPDIR = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}
