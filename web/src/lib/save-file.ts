/** Downloads bytes as a file with this name. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The URL is revoked later, because Safari still reads it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Downloads a value as an indented JSON file. */
export function saveJson(value: object, name: string): void {
  saveFile(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }), name)
}
