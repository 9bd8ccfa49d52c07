import { AppError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { profileFields } from '@proctorpass/shared/fields/profile'
import type { Field } from '@proctorpass/shared/fields/text'
import type { CorrectVisitor, PatchProfile, Visitor } from '@proctorpass/shared/schemas/inbox'
import type { Caller } from '../auth/caller.ts'
import { allowanceOf } from '../auth/visitor-key.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import type { Storage } from '../storage/storage.ts'
import { claimOf, type ProfileChange } from '../storage/visitors.ts'
import { deviceOf } from './device.ts'
import { adminIn, senderIn, wrongKey } from './permissions.ts'
import { BROWSER_FIELDS } from './profile-fields.ts'

/** What visitors say about themselves. */
export interface Visitors {
  /** Throws AppError `not-found` when the conversation has no messages. */
  find(caller: Caller, clientId: string): Promise<Visitor>
  /** An admin corrects what the visitor said. */
  correct(caller: Caller, clientId: string, input: CorrectVisitor): Promise<Visitor>
  /** A visitor, or their browser, says something. Throws AppError `not-found` before their first message. */
  report(caller: Caller, clientId: string, input: PatchProfile, userAgent: string | undefined): Promise<void>
}

interface VisitorsDeps {
  storage: Storage
  limits: Pick<Limits, 'take' | 'charge'>
  /** Milliseconds since 1970 UTC. */
  now: () => number
  /** Whether the visitor has an open socket, on any node. */
  isOnline: (clientId: string) => boolean
}

export function createVisitors({ storage, limits, now, isOnline }: VisitorsDeps): Visitors {
  async function find(clientId: string): Promise<Visitor> {
    const [first, newest, known] = await Promise.all([
      storage.messages.page(clientId, { after: 0, limit: 1 }),
      storage.messages.page(clientId, { limit: 1 }),
      storage.visitors.find(clientId),
    ])
    const [oldest, last] = [first?.messages[0], newest?.messages[0]]
    if (oldest === undefined || last === undefined) throw notFound()
    const firstSeenAt = oldest.createdAt
    const wroteAt = last.senderId === clientId ? last.createdAt : firstSeenAt
    const lastSeenAt = Math.max(Date.parse(wroteAt), known?.lastSeenAt ?? 0)
    const { device = null, page = null, referrer = null } = known ?? {}
    return {
      clientId,
      ...claimOf(known),
      device,
      page,
      referrer,
      firstSeenAt,
      lastSeenAt: new Date(lastSeenAt).toISOString(),
      online: isOnline(clientId),
      blockedUntil: null,
    }
  }

  return {
    async find(caller, clientId) {
      adminIn(caller)
      return find(clientId)
    },

    async correct(caller, clientId, input) {
      if (caller.side !== 'admin') throw new AppError('forbidden', 'Only admins can correct this.')
      const change = changeOf(profileFields(now()), input)
      const { outcome } = await storage.visitors.update(clientId, change, { by: caller.userId, at: now() })
      if (outcome === 'missing') throw notFound()
      return find(clientId)
    },

    async report(caller, clientId, input, userAgent) {
      senderIn(caller, clientId)
      if (caller.side !== 'visitor') throw new AppError('forbidden', 'Only the visitor can say this.')
      const change = changeOf({ ...profileFields(now()), ...BROWSER_FIELDS }, input)
      await limits.take('profile', allowanceOf(caller))
      const texts = Object.values(change).filter((value) => typeof value === 'string')
      await limits.take('stored', caller.address, pointsToStore(...texts))
      const { outcome } = await storage.visitors.update(
        clientId,
        { ...change, device: deviceOf(userAgent) },
        { by: null, at: now(), keyHash: caller.keyHash },
      )
      if (outcome === 'wrong-key') throw await wrongKey(limits, caller)
      if (outcome === 'missing') throw notFound()
    },
  }
}

/** The checked values; null clears. Throws AppError `invalid-input` naming the fields. */
function changeOf<Name extends keyof PatchProfile>(
  fields: { [N in Name]: Field },
  input: { [N in Name]?: string | null | undefined },
): ProfileChange {
  const { examAt, ...texts }: PatchProfile = checkFields(fields as { [N in Name]: Field<never> }, input)
  const cleared = Object.keys(fields).filter((field) => input[field as Name] === null)
  return {
    ...texts,
    ...(typeof examAt === 'string' ? { examAt: Date.parse(examAt) } : {}),
    ...Object.fromEntries(cleared.map((field) => [field, null])),
  }
}

const notFound = () => new AppError('not-found', 'Conversation not found.')
