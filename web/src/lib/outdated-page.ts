/**
 * Reloads a page that requests chunks of an older build. Only when the server answers and no typed input would be
 * lost; resolves to whether it reloads.
 */
export async function reloadOutdatedPage(): Promise<boolean> {
  if (hasUnsavedInput()) return false
  const answered = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
  // The user may have typed meanwhile.
  if (!answered || hasUnsavedInput()) return false
  location.reload()
  return true
}

function hasUnsavedInput(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue)
}
