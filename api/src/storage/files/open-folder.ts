import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import {
  expectName,
  type FileStore,
  roomOf,
  type StoredFile,
  storageFull,
  UPLOAD_NAME,
} from '../model/file-store.ts'
import { KeyedMutex } from '../model/keyed-mutex.ts'

const UNFINISHED = '.part'

/** The files that this process has put, by name. No other process writes to the folder. */
type Puts = Map<string, Pick<StoredFile, 'isAgain' | 'revision'>>
const BEFORE = { isAgain: false, revision: '0' }

/** Reads a folder of files, even while a server uses it. A missing folder counts as empty. */
export function readFolder(
  path: string,
  names = UPLOAD_NAME,
  puts: Puts = new Map(),
): Pick<FileStore, 'find' | 'list' | 'open'> {
  const fileOf = (name: string, { size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>): StoredFile => ({
    ...{ name, size, storedAt: mtimeMs },
    ...(puts.get(name) ?? BEFORE),
  })
  return {
    async find(name) {
      const stats = names.test(name) ? await find(join(path, name)) : null
      return stats && fileOf(name, stats)
    },

    async list() {
      const files: StoredFile[] = []
      for (const name of await namesIn(path)) {
        if (!names.test(name)) continue
        const stats = await find(join(path, name))
        if (stats !== null) files.push(fileOf(name, stats))
      }
      return files
    },

    async open(name) {
      if (!names.test(name)) return null
      let file: FileHandle
      try {
        file = await open(join(path, name), 'r')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
      return { file: fileOf(name, await file.stat()), stream: file.createReadStream() }
    },
  }
}

/**
 * Stores files in a folder that only its owner can access. Only one process may write to it. `names` is the names'
 * form.
 */
export async function openFolder(
  path: string,
  totalBytesMax = Number.POSITIVE_INFINITY,
  names = UPLOAD_NAME,
): Promise<FileStore> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
  // These files were left by a process that died during a write.
  for (const name of await readdir(path)) {
    if (name.endsWith(UNFINISHED)) await rm(join(path, name), { force: true })
  }
  const puts: Puts = new Map()
  const reader = readFolder(path, names, puts)
  const mutex = new KeyedMutex()
  let count = 0
  let total = (await reader.list()).reduce((sum, { size }) => sum + size, 0)

  function noteUpload(name: string, isAgain: boolean): void {
    count += 1
    puts.set(name, { isAgain, revision: String(count) })
  }

  async function store(name: string, bytes: Uint8Array): Promise<void> {
    // The file is counted before the write, so that concurrent writers respect the bound together.
    total += bytes.length
    const unfinished = join(path, `${randomUUID()}${UNFINISHED}`)
    try {
      const file = await open(unfinished, 'wx', 0o600)
      await writeAndSync(file, bytes)
      await rename(unfinished, join(path, name))
      await syncFolder(path)
    } catch (error) {
      total -= bytes.length
      await rm(unfinished, { force: true }).catch(() => {})
      throw isFull(error) ? storageFull(error) : error
    }
  }

  return {
    ...reader,

    async put(name, bytes, side = 'admin') {
      expectName(name, names)
      return mutex.run(name, async () => {
        const exists = (await find(join(path, name))) !== null
        if (exists) {
          const now = new Date()
          await utimes(join(path, name), now, now)
        } else {
          if (total + bytes.length > roomOf(side, totalBytesMax)) throw storageFull()
          await store(name, bytes)
        }
        noteUpload(name, exists)
        return !exists
      })
    },

    async remove(name, seen) {
      expectName(name, names)
      return mutex.run(name, async () => {
        const found = await reader.find(name)
        if (found === null) return true
        if (seen !== undefined && found.revision !== seen.revision) return false
        await rm(join(path, name), { force: true })
        total -= found.size
        puts.delete(name)
        return true
      })
    },
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function writeAndSync(file: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs a folder, because a new name in it is durable only after that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function find(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '')
}
