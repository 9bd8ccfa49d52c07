import type { AdminCaller } from '../auth/caller.ts'
import type { Storage } from '../storage/storage.ts'
import type { ContentChanges } from './content-revision.ts'

/** The sample posts and reviews of a new store. */
export interface Samples {
  /** Removes what is left of them, but what an admin has changed; answers how many there were. */
  remove(admin: AdminCaller): Promise<{ blogs: number; reviews: number }>
}

export function createSamples({ storage, changes }: { storage: Storage; changes: ContentChanges }): Samples {
  return {
    async remove() {
      const removed = await storage.demo.remove()
      await changes.tell()
      return removed
    },
  }
}
