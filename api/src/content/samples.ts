import type { AdminCaller } from '../auth/caller.ts'
import type { Storage } from '../storage/storage.ts'
import type { ContentRevision } from './content-revision.ts'

/** The sample posts and reviews of a new store. */
export interface Samples {
  /** Removes what is left of them, but what an admin has changed; answers how many there were. */
  remove(admin: AdminCaller): Promise<{ blogs: number; reviews: number }>
}

export function createSamples({
  storage,
  contentRevision,
}: {
  storage: Storage
  contentRevision: ContentRevision
}): Samples {
  return {
    async remove() {
      const removed = await storage.demo.remove()
      await contentRevision.changed()
      return removed
    },
  }
}
