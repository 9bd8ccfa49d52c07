import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { readStorage, writeStorage } from './browser-storage.ts'

/** The build for which this tab was reloaded. */
const RELOADED_KEY = 'reloadedBuild'

/**
 * Reloads a page that requests chunks from an older build. It reloads only once for each build, and only if the server
 * answers and no typed input would be lost. Resolves with whether it reloads.
 */
export async function reloadOutdatedPage(): Promise<boolean> {
  if (hasUnsavedInput() || readStorage(RELOADED_KEY, 'sessionStorage') === build()) return false
  const answered = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    // Without this check, a gateway's page could replace this one.
    ({ headers }) => headers.has(CALL_HEADER),
    () => false,
  )
  // The user may have typed in the meantime.
  if (!answered || hasUnsavedInput()) return false
  writeStorage(RELOADED_KEY, build(), 'sessionStorage')
  // Without storage, the next page would not know about this reload.
  if (readStorage(RELOADED_KEY, 'sessionStorage') !== build()) return false
  location.reload()
  return true
}

/** Recognizes a failed `import()` by the messages of Chromium and Firefox, of WebKit, and of Vite for a style sheet. */
export function isMissingChunk(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script|unable to preload css/i.test(error.message)
  )
}

/** Returns the entry chunk's address, which contains a hash of all other chunks. */
function build(): string {
  return document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? ''
}

/** Returns whether a field has typed text. */
export function hasUnsavedInput(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue)
}
