import type { EditionRepository } from '../storage/storage.ts'

/** How often is looked whether another process has changed something. */
const LOOK_EVERY_MS = 500

/** Tells whoever keeps something made of posts and reviews that it is out of date. */
export interface ContentChanges {
  /**
   * To be called once a change is stored, and awaited before it is answered: who then reads here, reads the new, and
   * who reads of another process does so within a second. Never rejects.
   */
  tell(): Promise<void>
  listen(listener: () => void): void
  /** Looks no more at what other processes change. */
  close(): void
}

/** `edition` is null where no other process can change the content. */
export function createContentChanges({ edition }: { edition: EditionRepository | null }): ContentChanges {
  const listeners: (() => void)[] = []
  let known: string | null = null
  // A process that died between a change and its telling is healed by its next start.
  let owed = true
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function drop(): void {
    for (const listener of listeners) listener()
  }

  async function advance(): Promise<void> {
    owed = false
    try {
      await edition?.advance()
    } catch {
      // With the next look. Until the store is there, nobody can read anything newer either.
      owed = true
    }
  }

  async function look(): Promise<void> {
    if (owed) await advance()
    try {
      const stored = (await edition?.read()) ?? null
      if (stored !== known) drop()
      known = stored
    } catch {
      // What is kept is served on while the store is away, and judged when it is back.
    }
    if (!closed) timer = setTimeout(look, LOOK_EVERY_MS).unref()
  }

  if (edition !== null) void look()

  return {
    async tell() {
      drop()
      await advance()
    },
    listen(listener) {
      listeners.push(listener)
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
