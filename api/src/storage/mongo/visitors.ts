import { isBlocked } from '../blocks-and-ratings.ts'
import { opens } from '../visitor-keys.ts'
import {
  afterChange,
  afterMail,
  changedFields,
  FAILED_MAIL,
  profileEntry,
  type VisitorRecord,
  type VisitorRepository,
  visitorRecord,
} from '../visitors.ts'
import type { ActivityLog } from './activity-log.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections } from './documents.ts'
import type { Projection } from './projection.ts'

/**
 * What is known of a visitor is a field of their conversation, so that one write changes it together with the rest, and
 * erasing cannot leave it behind.
 */
export function openVisitors(
  { conversations }: Collections,
  settled: MongoConnection['settled'],
  { write, keysNow }: Pick<Projection, 'write' | 'keysNow'>,
  log: ActivityLog,
): VisitorRepository {
  return {
    async find(clientId) {
      const found = await conversations.findOne({ _id: clientId }, { ...settled, projection: { visitor: 1 } })
      return visitorRecord(clientId, found?.visitor)
    },

    update: (clientId, change, { by, at, keyHash }) =>
      write(clientId, async () => {
        const found = await conversations.findOne({ _id: clientId })
        if (found === null) return { outcome: 'missing' }
        const keyHashes = await keysNow(found)
        if (keyHash !== undefined && !opens(keyHashes, keyHash)) return { outcome: 'wrong-key' }
        if (found.seq === 0) return { outcome: 'missing' }
        if (by === null && isBlocked(found.blockedUntil, at)) return { outcome: 'blocked' }
        const before = visitorRecord(clientId, found.visitor ?? {}) as VisitorRecord
        const changed = changedFields(before, change)
        if (changed.length === 0 && by !== null) {
          return { outcome: 'stored', visitor: before, changed, activity: null, keyHashes }
        }
        // Judged by the write: of two changes of one field, each is told with what it replaced. A missing field is null.
        const judged = Object.fromEntries(changed.map((field) => [`visitor.${field}`, before[field]]))
        const set = inVisitor(afterChange(change, changed))
        const entry = profileEntry(changed)
        const stored = await log.store(
          found,
          {
            update: {
              ...(Object.keys(set).length > 0 ? { $set: set } : {}),
              ...(by === null ? { $max: { 'visitor.lastSeenAt': at } } : {}),
            },
            only: judged,
          },
          entry === null ? [] : [{ ...entry, by, at }],
        )
        if (stored === null) return undefined
        const visitor = visitorRecord(clientId, stored.conversation.visitor) as VisitorRecord
        const [activity = null] = stored.activity
        return { outcome: 'stored', visitor, changed, activity, keyHashes }
      }),

    mailed: (clientId, mail) =>
      write(clientId, async () => {
        const found = await conversations.findOne({ _id: clientId })
        const visitor = visitorRecord(clientId, found?.visitor)
        if (found?.epoch !== mail.epoch || visitor === null) return null
        const entries = mail.failed ? [{ ...FAILED_MAIL, by: null, at: mail.at }] : []
        const set = { $set: inVisitor(afterMail(visitor, mail)) }
        const stored = await log.store(found, { update: set }, entries)
        return stored === null ? undefined : (stored.activity[0] ?? null)
      }),

    async unsubscribe(clientId) {
      const { matchedCount } = await conversations.updateOne(
        { _id: clientId, visitor: { $exists: true } },
        { $set: { 'visitor.unsubscribed': true } },
      )
      return matchedCount === 1
    },
  }
}

function inVisitor(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`visitor.${name}`, value]))
}
