import type { Filter, UpdateFilter } from 'mongodb'
import { decideErase } from '../model/conversation/conversation.ts'
import { newEpoch } from '../model/ids.ts'
import type { ReportGroup } from '../model/reports/report-parts.ts'
import type { ConversationRepository } from '../model/storage.ts'
import type { ActivityLog } from './activity-log.ts'
import type { AuditedWrites } from './audit-chain.ts'
import { type Collections, type ConversationDoc, inboxOf, keyFields, keysOf } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import type { EventNumbers } from './event-numbers.ts'
import { emptyConversation } from './messages.ts'
import type { Projection } from './projection.ts'
import { groupOf, keepFigures } from './reports.ts'

export type ErasedConversation = Pick<
  ConversationDoc,
  '_id' | 'epoch' | 'erasedEpochs' | 'erasedFiles' | 'erasedGroups'
>

/** What an erased history's figures need from its conversation. */
export interface ErasedGroup {
  group: ReportGroup
  /** The quarter-hours of its parts. Histories that an older release erased lack them. */
  quarters?: number[]
}

/** The group of a history that an older release erased. */
const NO_GROUP: ErasedGroup = { group: { siteId: null, assigneeId: null, labels: [] } }

/**
 * Removes the rows left from erased histories by their epochs, so that a history that has begun since stays. The sweep
 * repeats this if a process died before the end.
 */
export function openErased(collections: Collections, number: () => Promise<void>) {
  const {
    conversations,
    messages,
    activity,
    seenMarks,
    attachments,
    jobs,
    links,
    identities,
    deliveries,
    remembered,
    searchEntries,
    searchProgress,
  } = collections
  return async function removeErased({
    _id,
    epoch,
    erasedEpochs = [],
    erasedFiles = [],
    erasedGroups = '{}',
  }: ErasedConversation): Promise<void> {
    // The rows get their events before they are removed, because readers of events must see a number for each.
    await number()
    const groups = JSON.parse(erasedGroups) as Record<string, ErasedGroup>
    const erased = erasedEpochs.map((of) => ({ epoch: of, ...(groups[of] ?? NO_GROUP) }))
    await keepFigures(collections, _id, erased)
    const ofErased = { clientId: _id, epoch: { $in: erasedEpochs } }
    // Files that were sent after `erasedFiles` was read are known by their messages. Times would not tell, because two
    // nodes' clocks differ.
    const withFiles = await messages.find({ ...ofErased, attachments: { $exists: true } }).toArray()
    const sent = withFiles.flatMap((message) => message.attachments?.map((file) => file._id) ?? [])
    // The rows stay until the bytes are removed.
    await attachments.updateMany(
      { _id: { $in: [...erasedFiles, ...sent] }, clientId: _id },
      { $set: { messageNonce: null, createdAt: 0, unsentAt: 0 } },
    )
    await messages.deleteMany(ofErased)
    await activity.deleteMany(ofErased)
    await seenMarks.deleteMany(ofErased)
    await jobs.deleteMany(ofErased)
    await links.deleteMany({ ...ofErased, kind: { $in: ['resume', 'reply', 'sent'] } })
    await remembered.deleteMany(ofErased)
    // Identities have no epoch, because it is not known before the first message.
    await identities.deleteMany({ clientId: _id })
    // An endpoint's response can repeat the event that was posted to it.
    await deliveries.deleteMany({ clientId: _id })
    await searchEntries.deleteMany({ owner: _id, epoch: { $in: erasedEpochs } })
    await searchProgress.deleteOne({ _id, epoch: { $in: erasedEpochs } })
    await conversations.updateOne(
      { _id, epoch },
      { $unset: { erasedEpochs: '', erasedFiles: '', erasedGroups: '', erasedAt: '' } },
    )
  }
}

/** Opens `erase`. `forget` makes the next message in this process read the conversation again. */
export function openErase(
  collections: Collections,
  majority: MongoConnection['majority'],
  { write, newest }: Projection,
  removeErased: (conversation: ErasedConversation) => Promise<void>,
  audited: AuditedWrites,
  numbers: Pick<EventNumbers, 'erasedMark'>,
  log: Pick<ActivityLog, 'move'>,
  forget: (clientId: string) => void,
): ConversationRepository['erase'] {
  const { conversations, attachments, reportParts } = collections

  async function erase(
    clientId: string,
    options: NonNullable<Parameters<ConversationRepository['erase']>[1]>,
  ): Promise<boolean | undefined> {
    forget(clientId)
    const { _id, ...empty } = emptyConversation(clientId, newEpoch())
    const found = await conversations.findOne({ _id })
    const last = found === null ? null : await newest(_id, found.epoch)
    if (found === null || last === null) {
      // A process that died during an erase may have left rows.
      if (found?.erasedEpochs !== undefined) await removeErased(found)
      return false
    }
    const { status, spam } = inboxOf(found)
    const now = { seq: last.seq, lastAt: last.createdAt, keyHashes: keysOf(found, last), status, spam }
    const keysLeft = decideErase(now, options)
    if (keysLeft === null) return false
    const keys = keyFields(keysLeft)
    const files = await attachments.find({ clientId, createdAt: { $gt: 0 } }, ID_ONLY).toArray()
    // The new epoch is stored first. It hides the old messages and the log even if this process dies before it removes
    // them. A first key that arrives in between must be checked, and a new entry moved, so the update requires that
    // there is none.
    const { epoch, activityN = null, keyHash } = found
    const unchanged = {
      _id,
      epoch,
      activityN,
      ...(keyHash === undefined && NO_KEY),
    } as Filter<ConversationDoc>
    // The entries that a process left here when it died are moved, so that they get their events. A failover may still
    // take back what was found, so the majority is asked.
    if (found.pendingActivity !== undefined) {
      const durable = await conversations.findOne(unchanged, majority)
      if (durable === null) return undefined
      await log.move(durable)
    }
    const parts = await reportParts.find({ clientId, epoch }, { projection: { quarter: 1 } }).toArray()
    const quarters = parts.map(({ quarter }) => quarter)
    const erased = erasedOf(found, files, quarters)
    const mark = numbers.erasedMark(found, empty.epoch)
    const fields = { ...empty, ...keys, ...erased, erasedAt: Date.now(), ...mark }
    const { matchedCount } = await audited.change(
      { collection: conversations.collectionName, _id },
      ({ push }) => conversations.updateOne(unchanged, { ...emptyingUpdate(fields), ...push } as typeof push),
      (done) => done.matchedCount === 1,
    )
    if (matchedCount === 0) return undefined
    await removeErased({ _id, epoch: empty.epoch, ...erased })
    return true
  }

  return (clientId, options = {}) => write(clientId, () => erase(clientId, options))
}

/** Returns what is left to remove, including what former erases left. */
function erasedOf(found: ConversationDoc, files: readonly { _id: string }[], quarters: number[]) {
  const { epoch, erasedEpochs = [], erasedFiles = [], erasedGroups = '{}' } = found
  const group: ErasedGroup = { group: { ...groupOf(found), labels: [] }, quarters }
  return {
    erasedEpochs: [...erasedEpochs, epoch],
    erasedFiles: [...erasedFiles, ...files.map(({ _id }) => _id)],
    erasedGroups: JSON.stringify({ ...JSON.parse(erasedGroups), [epoch]: group }),
  }
}

const NO_KEY = { keyHash: { $exists: false } }

function emptyingUpdate(fields: Partial<ConversationDoc>): UpdateFilter<ConversationDoc> {
  return {
    $set: fields,
    $unset: {
      ...{ visitor: '', labelKeys: '', pendingActivity: '', pendingFrom: '', rated: '' },
      ...{ siteId: '', siteName: '', scheduledAt: '', pendingEdit: '', pendingEditOf: '' },
      ...(fields.moreKeys === undefined && { moreKeys: '' }),
    },
  }
}

const ID_ONLY = { projection: { _id: 1 } } as const
