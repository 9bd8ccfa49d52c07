import type { KeyScope } from '@proctorpass/shared/schemas/key'

/** A key that programs send. A deleted one stays, for the name of what it wrote. Times are milliseconds since 1970 UTC. */
export interface ApiKeyRecord {
  _id: string
  name: string
  /** The SHA-256 hash of the key, base64url. */
  hash: string
  /** The first characters of the key. */
  prefix: string
  scopes: readonly KeyScope[]
  createdAt: number
  /** A user id. */
  createdBy: string
  expiresAt: number | null
  lastUsedAt: number | null
  deletedAt: number | null
}

export interface ApiKeyRepository {
  /** Those that are not deleted, newest first. */
  list(): Promise<ApiKeyRecord[]>
  /** False when there are `max` already. Of two that are created at once both may be stored. */
  create(key: ApiKeyRecord, max: number): Promise<boolean>
  /** Null for an unknown hash, and for a deleted key. */
  findByHash(hash: string): Promise<ApiKeyRecord | null>
  /** The name of a key, deleted or not; null for an unknown one. */
  nameOf(id: string): Promise<string | null>
  setUsed(id: string, at: number): Promise<void>
  /** Deletes a key for good. False when there is none with this id. */
  remove(id: string, at: number): Promise<boolean>
}
