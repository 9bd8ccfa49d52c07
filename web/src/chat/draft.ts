// What localStorage refuses (disabled, full) at least survives a reload, or else a navigation.
const memory = new Map<string, string>()

/** The unsent text under `key`, or the empty string. */
export function readDraft(key: string): string {
  for (const storage of storages()) {
    try {
      const draft = storage.getItem(key)
      if (draft !== null) return draft
    } catch {
      // Next one.
    }
  }
  return memory.get(key) ?? ''
}

/** The empty string removes the draft. */
export function writeDraft(key: string, text: string): void {
  memory.delete(key)
  let kept = text === ''
  for (const storage of storages()) {
    try {
      storage.removeItem(key)
      if (kept) continue
      storage.setItem(key, text)
      kept = true
    } catch {
      // Next one.
    }
  }
  if (!kept) memory.set(key, text)
}

function* storages(): Generator<Storage> {
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    try {
      yield window[name]
    } catch {
      // Even the property throws where storage is forbidden.
    }
  }
}
