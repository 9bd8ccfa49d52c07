import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { UNSENT_ATTACHMENT_MS } from '@proctorpass/shared/limits'
import type { AttachmentUploads, PendingAttachment } from './attachments.ts'
import { newNonce, type Outbox } from './outbox.ts'
import type { Tab } from './tab.ts'

/** Uploads one file. Resolves to its ID. Rejects with an AppError. */
export type UploadAttachment = (
  file: PendingAttachment,
  signal: AbortSignal,
  onProgress: (share: number) => void,
) => Promise<string>

/**
 * Files uploaded longer ago than this are uploaded again, because the server may remove them before the message
 * arrives.
 */
const UPLOAD_AGAIN_MS = UNSENT_ATTACHMENT_MS - 60 * 60 * 1_000
/** An upload that did not move for this long is in a frozen tab. A running tab gives up sooner. */
const MOVED_WITHIN_MS = 90_000
/** How often progress is noted, because each note is a write to the storage that the tabs share. */
const NOTE_EVERY_MS = 5_000

export function createAttachmentUploads(options: {
  side: Side
  tab: Tab
  outbox: Pick<Outbox, 'find' | 'replace'>
  upload: UploadAttachment
  forget: (nonces: readonly string[]) => Promise<void>
  onChange: () => void
}): AttachmentUploads {
  const { side, tab, outbox, upload, forget, onChange } = options
  /** The file that this tab uploads. */
  let current: { nonce: string; progress: number; abort: AbortController } | null = null

  function change(nonce: string, changed: PendingAttachment) {
    const entry = outbox.find(nonce)
    if (!entry?.files) return
    const files = entry.files.map((file) => (file.nonce === changed.nonce ? changed : file))
    outbox.replace({ ...entry, files })
  }

  function isMoving(nonce: string): boolean {
    const { files = [] } = outbox.find(nonce) ?? {}
    return files.some(({ movedAt = 0 }) => Math.abs(Date.now() - movedAt) < MOVED_WITHIN_MS)
  }

  /**
   * Runs `work` in one tab at a time while its upload moves. Two tabs would share the connection and upload the same
   * bytes. The tab that had the lock before may have done everything already.
   */
  async function inOneTab<T>(nonce: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      let granted = false
      const run = () => {
        granted = true
        return work()
      }
      try {
        const signal = AbortSignal.timeout(MOVED_WITHIN_MS)
        return tab.locks === null
          ? await run()
          : ((await tab.locks.request(`upload:${nonce}`, { signal }, run)) as T)
      } catch (error) {
        if (granted) throw error
        if (!isMoving(nonce)) return await work()
      }
    }
  }

  async function uploadAll(nonce: string) {
    const entry = outbox.find(nonce)
    const files = entry?.state === 'sending' ? (entry.files ?? []) : []
    const abort = new AbortController()
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    const ids: string[] = []
    let sent = 0
    const show = (bytes: number) => {
      current = { nonce, progress: bytes / total, abort }
      onChange()
    }
    for (const file of files) {
      const before = sent
      const { uploaded } = file
      let movedAt = 0
      const move = (share: number) => {
        if (Math.abs(Date.now() - movedAt) >= NOTE_EVERY_MS) {
          movedAt = Date.now()
          change(nonce, { ...file, movedAt })
        }
        show(before + share * file.bytes)
      }
      try {
        if (uploaded !== undefined && Math.abs(Date.now() - uploaded.at) < UPLOAD_AGAIN_MS)
          ids.push(uploaded.id)
        else {
          move(0)
          const id = await upload(file, abort.signal, move)
          change(nonce, { ...file, uploaded: { id, at: Date.now() } })
          ids.push(id)
        }
      } catch (error) {
        if (!(error instanceof AppError) || !isFinal(error, side)) throw error
        change(nonce, { ...file, refused: true })
        // For a message, "forbidden" means something else. Here it is about the file.
        throw new AppError('invalid-input', error.message, { cause: error })
      }
      sent += file.bytes
    }
    return ids
  }

  return {
    withProgress: (entry) =>
      entry.nonce === current?.nonce ? { ...entry, progress: current.progress } : entry,
    check() {
      if (current && outbox.find(current.nonce)?.state !== 'sending') current.abort.abort()
    },
    async run(nonce) {
      try {
        return await inOneTab(nonce, () => uploadAll(nonce))
      } finally {
        current = null
        onChange()
      }
    },
    uploadAgain(nonce) {
      const entry = outbox.find(nonce)
      if (!entry?.files || entry.files.some(({ refused }) => refused)) return false
      outbox.replace({ ...entry, files: asNew(entry.files) })
      return true
    },
    again({ files = [], ...entry }, without) {
      const left = files.filter(({ nonce }) => nonce !== without)
      const dropped = files.filter(({ nonce }) => nonce === without)
      if (dropped.length > 0) forget(dropped.map(({ nonce }) => nonce)).catch(() => {})
      if (left.length === 0) return entry.message === '' ? null : entry
      const isFileRefused = dropped.length > 0 || left.some(({ refused }) => refused)
      // The server refused the message itself, perhaps for its files.
      if (entry.state === 'refused' && !isFileRefused) return { ...entry, files: asNew(left) }
      return { ...entry, files: left.flatMap((file) => (file.refused ? asNew([file]) : [file])) }
    },
  }
}

/** Returns the files so that they are uploaded again, under new names. */
function asNew(files: readonly PendingAttachment[]): PendingAttachment[] {
  return files.map(({ uploaded: _, refused: __, ...file }) => ({ ...file, uploadNonce: newNonce() }))
}

/** An upload that must wait longer than this does not hold up later messages. */
const WAIT_MAX_MS = 30_000

function isFinal({ code, retryable, retryAfterMs = 0 }: AppError, side: Side): boolean {
  if (side === 'admin' && code === 'unauthorized') return false
  return !retryable || (code === 'rate-limited' && retryAfterMs > WAIT_MAX_MS)
}
