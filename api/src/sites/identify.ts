import { hash } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { ConversationSite, Identify, Opened } from '@proctorpass/shared/schemas/site'
import { randomToken } from '../auth/session-tokens.ts'
import { hashOfKey } from '../auth/visitor-key.ts'
import type { Limits } from '../limits/limits.ts'
import type { ActivityRecord, ConversationState } from '../storage/model/conversation/conversation.ts'
import { opens } from '../storage/model/conversation/visitor-keys.ts'
import type { Storage } from '../storage/model/storage.ts'
import { randomId } from './random-id.ts'
import { type SiteClaims, verifySiteToken } from './site-tokens.ts'
import type { Sites } from './sites.ts'

/** An unchanged signature is stored again after this time. */
const SIGN_AGAIN_MS = 60 * 60 * 1_000

interface IdentitiesDeps {
  storage: Pick<Storage, 'conversations' | 'identities' | 'inbox' | 'visitors'>
  sites: Pick<Sites, 'mustBeEnabled' | 'secretsOf' | 'secretUsed'>
  limits: Pick<Limits, 'take' | 'refund'>
  now: () => number
  /** These two tell admins about a change. */
  visitorChanged: (clientId: string) => Promise<void>
  activityStored: (activity: ActivityRecord) => void
}

/** The conversation that the browser has, if its key opens it. */
type HeldConversation = { clientId: string; key: string; state: ConversationState | null }

/** Decides by a token of the site's server which conversation a browser continues. */
export function createIdentities(deps: IdentitiesDeps) {
  const { storage, sites, limits, now, visitorChanged, activityStored } = deps

  async function verified(siteId: string, token: string): Promise<SiteClaims> {
    try {
      const { claims, secret } = verifySiteToken(token, await sites.secretsOf(siteId), now())
      await sites.secretUsed(siteId, secret)
      return claims
    } catch (cause) {
      if (cause instanceof AppError) throw cause
      throw new AppError('bad-identity', "This sign-in can't be verified. Reload the page.", { cause })
    }
  }

  async function heldConversation({ clientId, key }: Identify): Promise<HeldConversation | null> {
    if (clientId === undefined || key === undefined) return null
    const state = await storage.conversations.find(clientId)
    if (state === null) return { clientId, key, state }
    // A conversation without a key is open to anyone who knows the clientId, so it cannot be adopted.
    const isOpened = state.keyHashes.length > 0 && opens(state.keyHashes, hashOfKey(key))
    return isOpened || (state.seq === 0 && state.keyHashes.length === 0) ? { clientId, key, state } : null
  }

  /** Whether the conversation began here or has not begun, and is not another person's. */
  async function isAnonymousOf(
    site: ConversationSite,
    { clientId, state }: HeldConversation,
  ): Promise<boolean> {
    const isHere = state === null || (state.site === null ? state.seq === 0 : state.site._id === site._id)
    return isHere && (await storage.identities.findOf(clientId)) === null
  }

  /** Returns the person's conversation. If several calls for a new person arrive at once, one of them decides. */
  async function conversationOf(site: ConversationSite, sub: string, held: HeldConversation | null) {
    const _id = hash('sha256', `${site._id}\n${sub}`, 'base64url')
    const anonymous = held !== null && (await isAnonymousOf(site, held)) ? held : null
    let adopted = anonymous
    for (;;) {
      const found = await storage.identities.find(_id)
      if (found !== null) return { clientId: found.clientId, anonymous, isAdopted: false }
      const clientId = adopted?.clientId ?? randomId()
      if (await storage.identities.add({ _id, siteId: site._id, clientId })) {
        return { clientId, anonymous, isAdopted: adopted !== null }
      }
      // Either this person has a conversation now, or another person has that conversation.
      adopted = null
    }
  }

  /** Stores who the visitor is. Returns false if the history was erased in the meantime. */
  async function sign(clientId: string, epoch: string, site: ConversationSite, claims: SiteClaims) {
    const known = (await storage.visitors.find(clientId))?.signed
    const at = now()
    const isSame =
      known && (['sub', 'name', 'email'] as const).every((field) => known[field] === claims[field])
    if (isSame && known.site.name === site.name && at - known.at < SIGN_AGAIN_MS) return true
    if (!(await storage.visitors.sign(clientId, epoch, { ...claims, site, at }))) return false
    if (!isSame) await visitorChanged(clientId)
    return true
  }

  async function link(clientId: string, sub: string, other: string): Promise<void> {
    const entry = await storage.inbox.logIdentity(clientId, { sub, clientId: other }, now())
    if (entry !== null) activityStored(entry)
  }

  async function open(site: ConversationSite, claims: SiteClaims, input: Identify): Promise<Opened> {
    const { sub } = claims
    for (;;) {
      const held = await heldConversation(input)
      const { clientId, anonymous, isAdopted } = await conversationOf(site, sub, held)
      // A browser that has a key gets no other one, because each page of the site identifies its visitor.
      const key = held?.clientId === clientId ? held.key : randomToken()
      const epoch = await storage.conversations.admit(clientId, hashOfKey(key), site)
      if (!(await sign(clientId, epoch, site, claims))) continue
      if (isAdopted) await link(clientId, sub, clientId)
      if (anonymous?.state && anonymous.state.seq > 0 && anonymous.clientId !== clientId) {
        await link(anonymous.clientId, sub, clientId)
        await link(clientId, sub, anonymous.clientId)
      }
      return { clientId, key }
    }
  }

  return {
    /**
     * Returns the conversation of the person whom the token names, with a key that opens it. Throws an AppError
     * `bad-identity` for every wrong token, with the reason as its cause.
     */
    async identify(siteId: string, input: Identify, address: string): Promise<Opened> {
      const { _id, name } = await sites.mustBeEnabled(siteId)
      // An attempt counts as a failure until it succeeds, so parallel attempts gain nothing.
      await limits.take('identify', address)
      const claims = await verified(siteId, input.token)
      const opened = await open({ _id, name }, claims, input)
      await limits.refund('identify', address)
      return opened
    },
  }
}

export type Identities = ReturnType<typeof createIdentities>
