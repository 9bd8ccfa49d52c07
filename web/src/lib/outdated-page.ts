/**
 * A page that was loaded before an update asks for code that is gone: only loading it anew helps. Reloads when the
 * server is there to answer, and when nothing that was typed into the page would be lost; resolves to whether it does.
 */
export async function reloadOutdatedPage(): Promise<boolean> {
  if (hasUnsentWords()) return false
  const answered = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
  // Typing goes on while the server is asked.
  if (!answered || hasUnsentWords()) return false
  location.reload()
  return true
}

function hasUnsentWords(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue)
}
