import { deviceOf } from '@proctorpass/shared/device'
import { AppError, type ErrorDetail } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { profileFields } from '@proctorpass/shared/fields/profile'
import type { Field } from '@proctorpass/shared/fields/text'
import type { CorrectVisitor, PatchProfile, Visitor } from '@proctorpass/shared/schemas/inbox'
import type { Caller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import type { Sites } from '../sites/sites.ts'
import { blockEnd } from '../storage/model/conversation/blocks-and-ratings.ts'
import {
  claimOf,
  type ProfileChange,
  type ProfileUpdated,
  pagesOf,
  type VisitorRecord,
} from '../storage/model/conversation/visitors.ts'
import type { Storage } from '../storage/model/storage.ts'
import { blockedError } from './blocks.ts'
import { toSummary } from './conversation-list.ts'
import { notifyActivity } from './inbox-notices.ts'
import type { Notify } from './listeners.ts'
import { adminIn, senderIn, takeOfConversation, wrongKey } from './permissions.ts'
import { BROWSER_FIELDS, pageViews, sitePage } from './profile-fields.ts'
import type { Ratings } from './ratings.ts'

/**
 * The points that a report costs its address, because it is stored and sent to all admins. They allow at most ten a
 * second.
 */
const REPORT_POINTS = 20

interface VisitorsDeps {
  storage: Storage
  limits: Pick<Limits, 'take' | 'charge'>
  settings: Pick<SettingsUseCases, 'current'>
  /** Finds a site, as `Sites` does. */
  findSite: Sites['find']
  supportEmail: string
  /** Milliseconds since 1970 UTC. */
  now: () => number
  notify: Notify
  /** Whether the visitor has an open socket on any node. */
  isOnline: (clientId: string) => boolean
  ratings: Pick<Ratings, 'of'>
}

/** The use cases for what visitors say about themselves. */
export function createVisitors(deps: VisitorsDeps) {
  const { storage, limits, settings, findSite, supportEmail, now, notify, isOnline, ratings } = deps

  async function find(clientId: string): Promise<Visitor> {
    const [first, conversation, known, state, rated] = await Promise.all([
      storage.messages.page(clientId, { after: 0, limit: 1 }),
      storage.conversations.record(clientId),
      storage.visitors.find(clientId),
      storage.conversations.find(clientId),
      ratings.of(clientId),
    ])
    const firstSeenAt = first?.messages[0]?.createdAt
    if (firstSeenAt === undefined || conversation === null) throw notFound()
    const { lastMessage } = conversation
    const wroteAt = lastMessage.senderId === clientId ? lastMessage.createdAt : firstSeenAt
    const lastSeenAt = Math.max(Date.parse(wroteAt), known?.lastSeenAt ?? 0)
    const { device = null, page = null, referrer = null, card = null } = known ?? {}
    return {
      clientId,
      ...claimOf(known),
      site: conversation.site,
      device,
      page,
      pages: pagesOf(known),
      referrer,
      card,
      firstSeenAt,
      lastSeenAt: new Date(lastSeenAt).toISOString(),
      online: isOnline(clientId),
      blockedUntil: blockEnd(state?.blockedUntil ?? null, now()),
      ratings: rated,
    }
  }

  /** Returns the origins of the conversation's site; empty on our own pages. */
  async function originsOf(clientId: string): Promise<readonly string[]> {
    const site = (await storage.conversations.find(clientId))?.site
    return site ? ((await findSite(site._id))?.origins ?? []) : []
  }

  /** Tells admins about a change that another use case stored. */
  async function tellChanged(clientId: string): Promise<void> {
    const conversation = await storage.conversations.record(clientId)
    if (conversation === null) return
    const summary = toSummary(conversation, now())
    notify((listener) => listener.conversationChanged(summary))
  }

  /** Tells admins about the stored change. Throws an AppError `not-found` if nothing was stored. */
  async function notifyAdmins(updated: ProfileUpdated): Promise<VisitorRecord> {
    if (updated.outcome !== 'stored') throw notFound()
    const { visitor, changed, activity } = updated
    if (changed.length > 0) await tellChanged(visitor.clientId)
    if (activity !== null) notifyActivity(notify, activity)
    return visitor
  }

  return {
    /** Throws an AppError `not-found` if the conversation has no messages. */
    async find(caller: Caller, clientId: string): Promise<Visitor> {
      adminIn(caller)
      return find(clientId)
    },

    changed: tellChanged,

    /** Stores an admin's correction of what the visitor said. */
    async correct(caller: Caller, clientId: string, input: CorrectVisitor): Promise<Visitor> {
      const { userId } = adminIn(caller)
      const change = changeOf(profileFields(now()), input)
      await notifyAdmins(await storage.visitors.update(clientId, change, { by: userId, at: now() }))
      return find(clientId)
    },

    /**
     * Stores what a visitor, or their browser, reports. Throws an AppError `not-found` before their first message, and
     * `blocked` for a blocked visitor.
     */
    async report(
      caller: Caller,
      clientId: string,
      { pages: seen = [], card: shown, ...claims }: PatchProfile,
      userAgent: string | undefined,
    ): Promise<Pick<VisitorRecord, 'unsubscribed'>> {
      senderIn(caller, clientId)
      if (caller.side !== 'visitor') throw new AppError('forbidden', 'Only the visitor can say this.')
      const isOfSite = [claims.page, ...seen.map(({ path }) => path)].some((path) => path?.startsWith('http'))
      const origins = isOfSite ? await originsOf(clientId) : []
      const page = origins.length > 0 ? sitePage(origins) : BROWSER_FIELDS.page
      const { views, problems } = pageViews(page, seen, now())
      const change = changeOf({ ...profileFields(now()), ...BROWSER_FIELDS, page }, claims, problems)
      await limits.charge('address', caller.address, REPORT_POINTS)
      await takeOfConversation(deps, 'profile', caller)
      const { cards } = await settings.current()
      const card = cards.find(({ id }) => id === shown)?.id
      const texts = Object.values(change).filter((value) => typeof value === 'string')
      texts.push(...views.flatMap(({ path, title }) => [path, title]))
      await limits.take('stored', caller.address, pointsToStore(...texts))
      const updated = await storage.visitors.update(
        clientId,
        { ...change, card, device: deviceOf(userAgent), pages: views },
        { by: null, at: now(), keyHash: caller.keyHash },
      )
      if (updated.outcome === 'wrong-key') throw await wrongKey(limits, caller)
      if (updated.outcome === 'blocked') throw blockedError(supportEmail)
      return notifyAdmins(updated)
    },
  }
}

/** Returns the checked values; null clears a field. Throws an AppError `invalid-input` that names the fields. */
function changeOf<Name extends Exclude<keyof PatchProfile, 'pages' | 'card'>>(
  fields: { [N in Name]: Field },
  input: { [N in Name]?: string | null | undefined },
  problems: ErrorDetail[] = [],
): ProfileChange {
  const checked = checkFields(fields as { [N in Name]: Field<never> }, input, problems)
  const { examAt, ...texts }: Omit<PatchProfile, 'pages' | 'card'> = checked
  const cleared = Object.keys(fields).filter((field) => input[field as Name] === null)
  return {
    ...texts,
    ...(typeof examAt === 'string' ? { examAt: Date.parse(examAt) } : {}),
    ...Object.fromEntries(cleared.map((field) => [field, null])),
  }
}

const notFound = () => new AppError('not-found', 'Conversation not found.')
