import { randomBytes } from 'node:crypto'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { INTEGRATION_NAME_FIELD } from '@proctorpass/shared/fields/integration'
import { parseIso } from '@proctorpass/shared/iso-time'
import { KEY_PREFIX, KEYS_MAX } from '@proctorpass/shared/limits'
import {
  type ApiKey,
  type ApiKeyList,
  type CreatedApiKey,
  type KeyScope,
  keyAuthor,
  type NewApiKey,
} from '@proctorpass/shared/schemas/key'
import { auditEntry } from '../audit/entry.ts'
import type { LimitState, Limits } from '../limits/limits.ts'
import type { ApiKeyRecord } from '../storage/model/api-keys.ts'
import { withEntry } from '../storage/model/audit.ts'
import { newId } from '../storage/model/ids.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { AdminCaller } from './caller.ts'
import { hashOfToken } from './session-tokens.ts'

const KEY_BYTES = 32
const KEY = /^ppk_[A-Za-z0-9_-]{43}$/
/** The number of a key's characters that the list shows. The rest has 230 random bits. */
const SHOWN_CHARACTERS = 8
/** `lastUsedAt` is written at most this often. */
const USED_EVERY_MS = 60_000

interface KeysDeps {
  storage: Pick<Storage, 'apiKeys' | 'events'>
  limits: Pick<Limits, 'take'>
  now: () => number
}

/**
 * The use cases for API keys, with which programs call the admins' REST.
 * @see docs/decisions/0061-api-keys.md
 */
export function createKeys({ storage: { apiKeys, events }, limits, now }: KeysDeps) {
  /** Each call asks the store, so a key that was deleted on another node is refused at once. */
  async function living(key: string): Promise<ApiKeyRecord> {
    const found = KEY.test(key) ? await apiKeys.findByHash(hashOfToken(key)) : null
    if (found === null || (found.expiresAt !== null && found.expiresAt <= now())) {
      throw new AppError('unauthorized', "This API key isn't valid. Create another one in the dashboard.")
    }
    return found
  }

  function expiry({ expiresAt }: NewApiKey): number | null {
    if (expiresAt == null) return null
    const at = parseIso(expiresAt)
    if (at === null) throw fieldError('expiresAt', 'Use a date and time such as 2030-01-31T09:00:00Z')
    if (at <= now()) throw fieldError('expiresAt', 'Choose a time in the future')
    return at
  }

  return {
    async list(_admin: AdminCaller): Promise<ApiKeyList> {
      const keys = (await apiKeys.list()).map(toApiKey)
      return { keys, count: keys.length }
    },

    /** Throws an AppError `invalid-input`, or `conflict` if there are already KEYS_MAX keys. */
    async create(admin: AdminCaller, input: NewApiKey): Promise<CreatedApiKey> {
      const { name } = checkFields({ name: INTEGRATION_NAME_FIELD }, input)
      const expiresAt = expiry(input)
      const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url')
      const record: ApiKeyRecord = {
        ...{ _id: newId(now()), name, hash: hashOfToken(key), prefix: key.slice(0, SHOWN_CHARACTERS) },
        ...{ scopes: [...new Set(input.scopes)], createdAt: now(), createdBy: admin.userId },
        ...{ expiresAt, lastUsedAt: null, deletedAt: null },
      }
      // Events begin before the key is stored: if the process dies in between, no key exists without events.
      await events.begin()
      const details = { name, scopes: record.scopes }
      const entry = auditEntry(admin, 'key.created', { target: record._id, details })
      if (!(await withEntry(entry, () => apiKeys.create(record, KEYS_MAX)))) {
        throw new AppError(
          'conflict',
          `You have ${KEYS_MAX} API keys, the maximum. Delete one that you no longer use.`,
        )
      }
      return { key, data: toApiKey(record) }
    },

    /** Ends the key at once, on every node. Throws an AppError `not-found` for an unknown key. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const entry = auditEntry(admin, 'key.deleted', { target: id })
      if (!(await withEntry(entry, () => apiKeys.remove(id, now()))))
        throw new AppError('not-found', 'API key not found.')
    },

    /**
     * Returns the caller of a request with this key. `scope` is the scope that the route needs, or null if the route is
     * not for keys. Throws an AppError `unauthorized` for an unknown, expired, or deleted key, `rate-limited`, and
     * `forbidden` without the scope.
     */
    async admit(
      key: string,
      scope: KeyScope | null,
      address: string,
    ): Promise<{ caller: AdminCaller; limit: LimitState | null }> {
      const { _id, name, scopes, lastUsedAt } = await living(key)
      const limit = await limits.take('key', _id)
      if (scope === null || !(scopes.includes(scope) || (scope === 'read' && scopes.includes('write')))) {
        throw new AppError(
          'forbidden',
          scope === null ? FOR_PEOPLE : `This API key doesn't have the scope ${scope}.`,
        )
      }
      // The write runs in the background, because a full disk must not refuse reads.
      if (lastUsedAt === null || now() - lastUsedAt > USED_EVERY_MS) {
        void apiKeys.setUsed(_id, now()).catch(() => {})
      }
      const caller: AdminCaller = { side: 'admin', userId: keyAuthor(_id), userName: name, sid: '', address }
      return { caller, limit }
    },
  }
}

export type Keys = ReturnType<typeof createKeys>

const FOR_PEOPLE = "API keys can't do this. Sign in to the dashboard."

function toApiKey({ hash: _, deletedAt: __, ...record }: ApiKeyRecord): ApiKey {
  const { createdAt, expiresAt, lastUsedAt, scopes } = record
  return {
    ...record,
    scopes: [...scopes],
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}
