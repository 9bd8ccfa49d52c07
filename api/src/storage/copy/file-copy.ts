/** The files of a store among the rows of its copy. */

import { buffer } from 'node:stream/consumers'
import { AppError } from '@proctorpass/shared/errors'
import type { AttachmentRecord } from '../model/conversation/attachments.ts'
import type { CopiedMessage } from '../model/conversation/rows.ts'
import type { FileStore } from '../model/file-store.ts'
import { type Entry, FILE_TABLES, type FileTable } from './copied-tables.ts'
import type { FileStores, ReadFileStores } from './store-copy.ts'

/**
 * The uploads, then the rows, then the uploads that were added meanwhile. An upload is stored before the post that shows
 * it, and removed after it: so the copy has every upload of its posts, unless one was stored and removed meanwhile.
 */
export async function* withUploads(
  uploads: Pick<FileStore, 'list' | 'open'>,
  rows: () => AsyncIterable<Entry>,
): AsyncIterable<Entry> {
  const seen = new Set<string>()
  async function* more(): AsyncIterable<Entry> {
    const names = (await uploads.list()).map(({ name }) => name)
    for (const name of names.sort()) {
      const found = seen.has(name) ? null : await uploads.open(name)
      if (found === null) continue
      seen.add(name)
      yield { table: 'uploads', row: { name, bytes: await buffer(found.stream) } }
    }
  }
  yield* more()
  yield* rows()
  yield* more()
}

/**
 * A message behind its files, row by row before their bytes: so that every message of the copy has its files. Nothing
 * when its conversation was erased since the message was read. A file whose bytes were lost is left out.
 */
export async function withFiles(
  message: CopiedMessage,
  find: (id: string) => Promise<AttachmentRecord | null> | AttachmentRecord | null,
  files: Pick<FileStore, 'open'>,
  isErased: () => Promise<boolean> | boolean,
): Promise<Entry[]> {
  const found: Entry[] = []
  const ids = (message.attachments ?? []).map(({ _id }) => _id)
  for (const name of ids) {
    const row = await find(name)
    const file = row && (await files.open(name))
    const bytes = file && (await buffer(file.stream).catch(nullWhenGone))
    if (row === null || bytes === null) continue
    found.push({ table: 'attachments', row }, { table: 'attachmentFiles', row: { name, bytes } })
  }
  if (found.length < 2 * ids.length && (await isErased())) return []
  return [...found, { table: 'messages', row: message }]
}

function nullWhenGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'not-found') return null
  throw error
}

/** The tables that have files. */
export async function heldFiles(files: ReadFileStores): Promise<FileTable[]> {
  const held: FileTable[] = []
  for (const table of FILE_TABLES) if ((await files[table].list()).length > 0) held.push(table)
  return held
}

/** Removes all files except those to keep. */
export async function removeFiles(
  files: FileStores,
  keep: (table: FileTable, name: string) => boolean = () => false,
): Promise<void> {
  for (const table of FILE_TABLES) {
    for (const { name } of await files[table].list()) {
      if (!keep(table, name)) await files[table].remove(name)
    }
  }
}
