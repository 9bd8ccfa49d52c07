import type { ContentRevisionRepository, Storage } from '../storage/model/storage.ts'

/** How often the store is read, to notice other processes' changes and scheduled posts that are due. */
const POLL_MS = 500

/**
 * Notifies caches of posts and reviews when this process or another one changes them, and when a scheduled post's time has
 * come, which every process sees by its own clock.
 * @param stored null where no other process can change the content
 * @see docs/decisions/0023-content-revision.md
 */
export function createContentRevision(
  stored: ContentRevisionRepository | null,
  { cameDue, now }: { cameDue: Storage['blogs']['cameDue']; now: () => number },
) {
  const listeners: (() => void)[] = []
  let current: string | null = null
  // This is true at the start, because the last process may have died between a change and its advance.
  let mustAdvance = true
  /** Caches know of every post that was due by then. */
  let dueUpTo = now()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** What is read from now on includes every post that is due. */
  function notify(): void {
    dueUpTo = now()
    for (const listener of listeners) listener()
  }

  async function advance(): Promise<void> {
    mustAdvance = false
    try {
      await stored?.advance()
    } catch {
      // The next poll retries. While the store is away, other processes cannot read the change either.
      mustAdvance = true
    }
  }

  async function readRevision(): Promise<void> {
    const read = (await stored?.read()) ?? null
    if (read !== current) notify()
    current = read
  }

  async function publishDue(): Promise<void> {
    const at = now()
    if (await cameDue(dueUpTo, at)) notify()
    else dueUpTo = Math.max(dueUpTo, at)
  }

  async function poll(): Promise<void> {
    if (mustAdvance) await advance()
    // Caches stay valid while the store is away, and the next successful poll compares again.
    await Promise.allSettled([readRevision(), publishDue()])
    if (!closed) timer = setTimeout(poll, POLL_MS).unref()
  }

  void poll()

  return {
    /**
     * Call this when a change is stored, and await it before answering. From then on this process reads the new
     * content, and the other processes do within a second. Never rejects.
     */
    async changed(): Promise<void> {
      notify()
      await advance()
    },
    subscribe(listener: () => void): void {
      listeners.push(listener)
    },
    /** Stops polling. */
    close(): void {
      closed = true
      clearTimeout(timer)
    },
  }
}

export type ContentRevision = ReturnType<typeof createContentRevision>
