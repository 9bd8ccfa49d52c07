/** The files of a store among the rows of its copy. */

import { buffer } from 'node:stream/consumers'
import { AppError } from '@proctorpass/shared/errors'
import type { AttachmentRecord } from './attachments.ts'
import { type Entry, FILE_TABLES, type FileTable, type ReadFiles, type StoredFiles } from './store-copy.ts'
import type { UploadFiles } from './upload-files.ts'

/**
 * The uploads, then the rows, then the uploads that were added meanwhile. An upload is stored before the post that shows
 * it, and removed after it: so the copy has every upload of its posts, unless one was stored and removed meanwhile.
 */
export async function* withUploads(
  uploads: Pick<UploadFiles, 'list' | 'open'>,
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
 * Rows of files of messages, each before its bytes. They are read after the messages, so that the copy has all files of
 * its messages. Without bytes a file was erased meanwhile, and is left out.
 */
export async function* withBytes(
  files: Pick<UploadFiles, 'open'>,
  rows: Iterable<AttachmentRecord> | AsyncIterable<AttachmentRecord>,
): AsyncIterable<Entry> {
  for await (const row of rows) {
    const name = row._id
    const found = await files.open(name)
    const bytes = found && (await buffer(found.stream).catch(nullWhenGone))
    if (bytes === null) continue
    yield { table: 'attachments', row }
    yield { table: 'attachmentFiles', row: { name, bytes } }
  }
}

function nullWhenGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'not-found') return null
  throw error
}

/** The tables that have files. */
export async function heldFiles(files: ReadFiles): Promise<FileTable[]> {
  const held: FileTable[] = []
  for (const table of FILE_TABLES) if ((await files[table].list()).length > 0) held.push(table)
  return held
}

/** Removes all files except those to keep. */
export async function removeFiles(
  files: StoredFiles,
  keep: (table: FileTable, name: string) => boolean = () => false,
): Promise<void> {
  for (const table of FILE_TABLES) {
    for (const { name } of await files[table].list()) {
      if (!keep(table, name)) await files[table].remove(name)
    }
  }
}
