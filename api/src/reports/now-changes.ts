import type { StoredChange } from '../storage/model/storage.ts'

const FOLLOWED: ReadonlySet<StoredChange['kind']> = new Set(['message', 'inbox', 'erase', 'user'])

/** Notifies its listeners when this node may have changed something in `GET /reports/now`. */
export function createNowChanges() {
  const listeners: (() => void)[] = []

  function changed(): void {
    for (const listener of listeners) listener()
  }

  return {
    changed,
    onChanged(listener: () => void): void {
      listeners.push(listener)
    },
    /** Follows messages, changes to the inbox, erased conversations, visitors' names, and who is on duty. */
    stored(change: StoredChange): void {
      const isFollowed =
        change.kind === 'profile' ? change.fields.includes('name') : FOLLOWED.has(change.kind)
      if (isFollowed) changed()
    },
  }
}

export type NowChanges = ReturnType<typeof createNowChanges>
