/** Adds a store's files to the rows of its copy. */

import { buffer } from 'node:stream/consumers'
import { AppError } from '@proctorpass/shared/errors'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { AttachmentRecord } from '../model/conversation/attachments.ts'
import type { CopiedMessage } from '../model/conversation/rows.ts'
import type { FileStore } from '../model/file-store.ts'
import { type Entry, FILE_TABLES, type FileTable } from './copied-tables.ts'
import type { FileStores, ReadFileStores } from './store-copy.ts'

/**
 * Yields the uploads, then the rows, and then the uploads that were added during the copy. An upload is stored before
 * the post that shows it and is removed after it. So the copy has every upload that its posts show, unless one was both
 * stored and removed during the copy.
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
 * Returns a message after its files, so that every message in the copy has its files. Each file's row comes before its
 * bytes. Returns an empty list when the conversation was erased after the message was read.
 */
export async function withFiles(
  message: CopiedMessage,
  find: (id: string) => Promise<AttachmentRecord | null> | AttachmentRecord | null,
  files: Pick<FileStore, 'open'>,
  isErased: () => Promise<boolean> | boolean,
): Promise<Entry[]> {
  const { attachments } = message
  const found = await filesOf(attachments, find, files)
  if (found.length < 2 * (attachments?.length ?? 0) && (await isErased())) return []
  return [...found, { table: 'messages', row: message }]
}

/** Returns the rows and bytes of a message's files. Leaves out a file whose bytes were lost. */
export async function filesOf(
  attachments: readonly Attachment[] | null,
  find: (id: string) => Promise<AttachmentRecord | null> | AttachmentRecord | null,
  files: Pick<FileStore, 'open'>,
): Promise<Entry[]> {
  const found: Entry[] = []
  for (const { _id: name } of attachments ?? []) {
    const row = await find(name)
    const file = row && (await files.open(name))
    const bytes = file && (await buffer(file.stream).catch(nullWhenGone))
    if (row === null || bytes === null) continue
    found.push({ table: 'attachments', row }, { table: 'attachmentFiles', row: { name, bytes } })
  }
  return found
}

function nullWhenGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'not-found') return null
  throw error
}

/** Returns the tables that have files. */
export async function heldFiles(files: ReadFileStores): Promise<FileTable[]> {
  const held: FileTable[] = []
  for (const table of FILE_TABLES) if ((await files[table].list()).length > 0) held.push(table)
  return held
}

/** Removes all files except those that `keep` accepts. */
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
