import type { VisitorRepository } from '../port/visitors.ts'
import { decideBounced, decideMailed, decideProfile, visitorRecord } from '../rules/visitors.ts'
import type { ActivityLog } from './activity-log.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections } from './documents.ts'
import { conversationOf, type Projection } from './projection.ts'

/**
 * A visitor's data is a field of their conversation, so that one write changes it together with the rest, and
 * erasing cannot leave it behind.
 */
export function openVisitors(
  { conversations }: Collections,
  majority: MongoConnection['majority'],
  { write, keysNow }: Pick<Projection, 'write' | 'keysNow'>,
  log: ActivityLog,
): VisitorRepository {
  return {
    async find(clientId) {
      const found = await conversations.findOne(
        { _id: clientId },
        { ...majority, projection: { visitor: 1 } },
      )
      return found?.visitor ? visitorRecord(clientId, found.visitor) : null
    },

    update: (clientId, change, options) =>
      write(clientId, async () => {
        const found = await conversations.findOne({ _id: clientId })
        if (found === null) return { outcome: 'missing' }
        const keyHashes = await keysNow(found)
        const before = visitorRecord(clientId, found.visitor ?? {})
        const decided = decideProfile(conversationOf(found, keyHashes), before, change, options)
        if (decided.outcome !== 'stored') return decided
        const { changed, entries } = decided
        const { lastSeenAt, ...set } = decided.set
        if (changed.length === 0 && lastSeenAt === undefined) {
          return { outcome: 'stored', visitor: before, changed, activity: null, keyHashes }
        }
        const { pagesVersion } = found.visitor ?? {}
        const nextPages = changed.includes('pages') ? { pagesVersion: (pagesVersion ?? 0) + 1 } : {}
        const update = {
          $set: inVisitor({ ...set, ...nextPages }),
          ...(lastSeenAt === undefined ? {} : { $max: inVisitor({ lastSeenAt }) }),
        }
        // Of two changes of one field, each is told with what it replaced. A missing field is null.
        const only = inVisitor(
          Object.fromEntries(
            changed.map((field) =>
              field === 'pages' ? ['pagesVersion', pagesVersion ?? null] : [field, before[field]],
            ),
          ),
        )
        const stored = await log.store(found, { set: {}, entries }, { update, only })
        if (stored === null) return undefined
        const visitor = visitorRecord(clientId, stored.conversation.visitor ?? {})
        const [activity = null] = stored.activity
        return { outcome: 'stored', visitor, changed, activity, keyHashes }
      }),

    mailed: (clientId, mail) =>
      write(clientId, async () => {
        const found = await conversations.findOne({ _id: clientId })
        if (!found?.visitor) return null
        const decided = decideMailed(found, visitorRecord(clientId, found.visitor), mail)
        if (decided === null) return null
        const { set, entries } = decided
        const stored = await log.store(found, { set: {}, entries }, { update: { $set: inVisitor(set) } })
        return stored === null ? undefined : (stored.activity[0] ?? null)
      }),

    bounced: (clientId, bounce) =>
      write(clientId, async () => {
        const found = await conversations.findOne({ _id: clientId })
        if (!found?.visitor) return null
        const decided = decideBounced(found, visitorRecord(clientId, found.visitor), bounce)
        if (decided === null) return null
        const { set, entries } = decided
        const only = inVisitor({ email: bounce.email })
        const stored = await log.store(
          found,
          { set: {}, entries },
          { update: { $set: inVisitor(set) }, only },
        )
        return stored === null ? undefined : (stored.activity[0] ?? null)
      }),

    async sign(clientId, epoch, signed) {
      const { matchedCount } = await conversations.updateOne(
        { _id: clientId, epoch },
        { $set: { 'visitor.signed': signed } },
      )
      return matchedCount === 1
    },

    async setUnsubscribed(clientId, unsubscribed) {
      const { matchedCount } = await conversations.updateOne(
        { _id: clientId, visitor: { $exists: true } },
        { $set: { 'visitor.unsubscribed': unsubscribed } },
      )
      return matchedCount === 1
    },
  }
}

function inVisitor(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`visitor.${name}`, value]))
}
