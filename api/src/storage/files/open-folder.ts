import { randomUUID } from 'node:crypto'
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@proctorpass/shared/errors'
import { expectName, UPLOAD_NAME, type UploadFile, type UploadFiles } from '../upload-files.ts'

const UNFINISHED = '.part'

/** Reads uploads, also while a server uses the folder. A missing folder has none. */
export function readFolder(path: string, names = UPLOAD_NAME): Pick<UploadFiles, 'list' | 'open'> {
  return {
    async list() {
      const files: UploadFile[] = []
      for (const name of await namesIn(path)) {
        if (!names.test(name)) continue
        const stats = await find(join(path, name))
        if (stats !== null) files.push({ name, size: stats.size, storedAt: stats.mtimeMs })
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
      const { size, mtimeMs } = await file.stat()
      return { file: { name, size, storedAt: mtimeMs }, stream: file.createReadStream() }
    },
  }
}

/** Uploads in a folder with access for its owner only. One process writes to it. `names`: the form of their names. */
export async function openFolder(
  path: string,
  totalBytesMax = Number.POSITIVE_INFINITY,
  names = UPLOAD_NAME,
): Promise<UploadFiles> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
  // Left by a process that died during a write.
  for (const name of await readdir(path)) {
    if (name.endsWith(UNFINISHED)) await rm(join(path, name), { force: true })
  }
  const reader = readFolder(path, names)
  let total = (await reader.list()).reduce((sum, { size }) => sum + size, 0)

  return {
    ...reader,

    async put(name, bytes) {
      expectName(name, names)
      if ((await find(join(path, name))) !== null) {
        const now = new Date()
        await utimes(join(path, name), now, now)
        return false
      }
      if (total + bytes.length > totalBytesMax) throw noRoom()
      // Counted before the write, so that concurrent uploads respect the bound together.
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
        throw isFull(error) ? noRoom(error) : error
      }
      return true
    },

    async remove(name) {
      expectName(name, names)
      const stats = await find(join(path, name))
      if (stats === null) return
      await rm(join(path, name), { force: true })
      total -= stats.size
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

/** A new name is durable only after a sync of its folder. */
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

function noRoom(cause?: unknown): AppError {
  return new AppError('unavailable', 'The server has no room for this file. Nothing was saved.', {
    cause,
  })
}
