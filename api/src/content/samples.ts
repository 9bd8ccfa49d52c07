import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { ContentRevision } from './content-revision.ts'

/** Manages the sample posts and reviews that the first start creates. */
export function createSamples({
  storage,
  contentRevision,
}: {
  storage: Storage
  contentRevision: ContentRevision
}) {
  return {
    /** Removes the samples that no admin has changed, and returns how many there were. */
    async remove(admin: AdminCaller): Promise<{ blogs: number; reviews: number }> {
      const entry = auditEntry(admin, 'samples.deleted')
      const removed = await withEntry(entry, () => storage.samples.remove())
      await contentRevision.changed()
      return removed
    },
  }
}

export type Samples = ReturnType<typeof createSamples>
