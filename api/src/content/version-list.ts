import { VERSIONS_KEPT } from '@proctorpass/shared/limits'
import type { VersionList } from '@proctorpass/shared/schemas/text'
import type { Storage } from '../storage/model/storage.ts'
import type { Subject, Version } from '../storage/model/versions.ts'
import { writersOf } from './writers.ts'

/** Lists the versions, the newest first. `present` is the newest one, which is not among those that are kept. */
export async function versionsOf(
  storage: Pick<Storage, 'versions' | 'users' | 'apiKeys'>,
  subject: Subject,
  present: Omit<Version, 'fields'>,
): Promise<VersionList> {
  const kept = await storage.versions.list(subject, present.n)
  const versions = [present, ...kept].slice(0, VERSIONS_KEPT)
  const writers = await writersOf(
    versions.map(({ by }) => by),
    storage,
  )
  return {
    versions: versions.map(({ n, at }, index) => ({
      ...{ n, at: new Date(at).toISOString(), by: writers[index] ?? null },
    })),
  }
}

/** Returns a version's number. Null if the text is not one. */
export function versionNumber(text: string): number | null {
  return /^(0|[1-9]\d{0,11})$/.test(text) ? Number(text) : null
}
