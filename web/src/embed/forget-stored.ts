import { fallbackStorage } from '../chat/view/fallback-storage.ts'
import { SCOPE } from '../lib/embedded-site.ts'

/** These keys belong to the device, not to the visitor. */
const KEPT = ['chat:language', 'muted']

/**
 * Removes what a frame stores about its visitor: drafts, unsent messages and their files, and the visitor's profile.
 */
export async function forgetStored(): Promise<void> {
  const storage = fallbackStorage()
  if (storage === null || SCOPE === '') return
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index))
  const files: string[] = []
  for (const key of keys) {
    if (key === null || KEPT.includes(key)) continue
    files.push(...filesIn(storage.getItem(key)))
    storage.removeItem(key)
  }
  if (files.length > 0) {
    const { deviceStore } = await import('../chat/view/attachments/loaded.ts')
    await deviceStore().remove(files)
  }
}

/** Returns the nonces of the files that an unsent message or a draft names. */
function filesIn(value: string | null): string[] {
  try {
    const found: unknown = JSON.parse(value ?? '')
    const files: { nonce?: string }[] = Array.isArray(found)
      ? found
      : ((found as { files?: [] })?.files ?? [])
    return files.flatMap(({ nonce }) => nonce ?? [])
  } catch {
    return []
  }
}
