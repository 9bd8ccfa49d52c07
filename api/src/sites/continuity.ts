import { AppError } from '@proctorpass/shared/errors'
import type { Remember, Restored } from '@proctorpass/shared/schemas/site'
import { hashOfToken, randomToken } from '../auth/session-tokens.ts'
import { hashOfKey } from '../auth/visitor-key.ts'
import type { Limits } from '../limits/limits.ts'
import { opens } from '../storage/model/conversation/visitor-keys.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Sites } from './sites.ts'

/** The longest time that browsers keep a cookie. */
export const REMEMBERED_DAYS = 400
const REMEMBERED_MS = REMEMBERED_DAYS * 24 * 60 * 60 * 1_000
/** The points that a wrong key costs its address, as in the chat. */
const WRONG_KEY_POINTS = 20

interface ContinuityDeps {
  storage: Pick<Storage, 'conversations' | 'remembered' | 'visitors'>
  sites: Pick<Sites, 'mustBeEnabled'>
  limits: Pick<Limits, 'take' | 'charge'>
  now: () => number
}

/**
 * Keeps a visitor's conversation in a frame, whose storage some browsers empty when they quit. A cookie's text is a
 * credential, so the store has only its hash.
 */
export function createContinuity({ storage, sites, limits, now }: ContinuityDeps) {
  async function forget(cookie: string | undefined): Promise<void> {
    if (cookie !== undefined) await storage.remembered.remove(hashOfToken(cookie))
  }

  return {
    /**
     * Returns the text of the cookie that names the conversation. If the browser has a cookie for this history, its
     * text stays, because the answer may never arrive. Throws an AppError `forbidden` for a key that opens nothing
     * here.
     */
    async remember(
      siteId: string,
      { clientId, key }: Remember,
      cookie: string | undefined,
      address: string,
    ): Promise<string> {
      await sites.mustBeEnabled(siteId)
      await limits.take('resume', address)
      const state = await storage.conversations.find(clientId)
      const isTheirs = state !== null && state.keyHashes.length > 0 && opens(state.keyHashes, hashOfKey(key))
      if (!isTheirs || state.site?._id !== siteId) {
        await limits.charge('address', address, WRONG_KEY_POINTS)
        throw new AppError('forbidden', 'This conversation belongs to another browser or website.')
      }
      const named = { siteId, clientId, epoch: state.epoch, expiresAt: now() + REMEMBERED_MS }
      if (
        cookie !== undefined &&
        (await storage.remembered.extend({ hash: hashOfToken(cookie), ...named }))
      ) {
        return cookie
      }
      const text = randomToken()
      await storage.remembered.add({ hash: hashOfToken(text), ...named }, now())
      await forget(cookie)
      return text
    },

    /**
     * Returns the cookie's conversation with the cookie's key, which is always the same; null without a conversation.
     */
    async restore(siteId: string, cookie: string | undefined, address: string): Promise<Restored | null> {
      await sites.mustBeEnabled(siteId)
      if (cookie === undefined) return null
      await limits.take('resume', address)
      const found = await storage.remembered.find(hashOfToken(cookie), siteId, now())
      if (found === null) return null
      // The key is the same each time, so a browser that is often restored pushes out no keys of other devices.
      const key = hashOfToken(`visitor key of ${cookie}`)
      const { clientId, epoch } = found
      if (!(await storage.conversations.addKey(clientId, hashOfKey(key), epoch))) return null
      const sub = (await storage.visitors.find(clientId))?.signed?.sub ?? null
      return { clientId, key, sub }
    },

    forget,
  }
}

export type Continuity = ReturnType<typeof createContinuity>
