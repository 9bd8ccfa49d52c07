import type { buildApp } from './app.ts'
import type { Storage } from './storage/model/storage.ts'

const EVERY_MS = 60 * 60 * 1_000
/** Short, because a file that an erase could not remove waits for this. A sweep that finds nothing makes one query. */
const FILES_EVERY_MS = 60_000

/** Removes expired sessions, uploads that no post has, and files that no message has: now and regularly. */
export function sweepRegularly(
  { useCases, log }: Awaited<ReturnType<typeof buildApp>>,
  { sessions }: Pick<Storage, 'sessions'>,
): void {
  const sweepFiles = () =>
    void useCases.attachments.sweep().catch((error) => log.error({ err: error }, 'sweeping files failed'))
  const sweepOthers = () => {
    sessions.sweep(Date.now()).catch(() => {})
    useCases.uploads.sweep().catch((error) => log.error({ err: error }, 'sweeping uploads failed'))
  }
  sweepFiles()
  sweepOthers()
  setInterval(sweepFiles, FILES_EVERY_MS).unref()
  setInterval(sweepOthers, EVERY_MS).unref()
}
