import { AppError } from '@proctorpass/shared/errors'
import { auditEntry } from '../audit/entry.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { AdminCaller } from './caller.ts'

/** What stores admins' pictures. */
export interface FaceFiles {
  /** Stores the picture and returns its URL. Throws an AppError with a detail for the field `file`. */
  storeFace(bytes: Buffer, declared: { name: string; type: string }): Promise<string>
  /** Removes the files at those URLs that nothing shows. */
  release(urls: string[]): Promise<void>
}

interface FacesDeps {
  storage: Pick<Storage, 'users'>
  files: FaceFiles
}

/** An admin's use cases for their own picture. */
export function createFaces({ storage, files }: FacesDeps) {
  async function show(admin: AdminCaller, face: string | null): Promise<void> {
    const before = await storage.users.findById(admin.userId)
    if (before === null) throw new AppError('not-found', 'Account not found.')
    if (before.face === face) return
    const action = face === null ? 'face.removed' : 'face.changed'
    await withEntry(auditEntry(admin, action), () => storage.users.changeProfile(admin.userId, { face }))
    // The change itself is done, and the sweep removes unused files later.
    if (before.face !== null) await files.release([before.face]).catch(() => {})
  }

  return {
    /** Replaces the admin's picture and returns its URL. Throws the errors of `storeFace`. */
    async replace(admin: AdminCaller, file: { name: string; type: string; bytes: Buffer }): Promise<string> {
      const face = await files.storeFace(file.bytes, file)
      await show(admin, face)
      return face
    },

    remove: (admin: AdminCaller): Promise<void> => show(admin, null),
  }
}

export type Faces = ReturnType<typeof createFaces>
