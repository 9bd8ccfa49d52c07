import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { readStorage, writeStorage } from './browser-storage.ts'

/** The build that this tab was reloaded for. */
const RELOADED_KEY = 'reloadedBuild'

/**
 * Reloads a page that requests chunks of an older build. Only once for each build, when the server answers and no
 * typed input would be lost; resolves to whether it reloads.
 */
export async function reloadOutdatedPage(): Promise<boolean> {
  if (hasUnsavedInput() || readStorage(RELOADED_KEY, 'sessionStorage') === build()) return false
  const answered = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    // A gateway's page would take the place of this one.
    ({ headers }) => headers.has(CALL_HEADER),
    () => false,
  )
  // The user may have typed meanwhile.
  if (!answered || hasUnsavedInput()) return false
  writeStorage(RELOADED_KEY, build(), 'sessionStorage')
  // Without storage the next page would not know of this reload.
  if (readStorage(RELOADED_KEY, 'sessionStorage') !== build()) return false
  location.reload()
  return true
}

/** The messages of Chromium and Firefox, of WebKit, and of Vite for a style sheet, for a failed `import()`. */
export function isMissingChunk(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script|unable to preload css/i.test(error.message)
  )
}

/** The address of the entry chunk, which contains a hash of all others. */
function build(): string {
  return document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? ''
}

/** Whether a field has typed text. */
export function hasUnsavedInput(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue)
}
