import type { ReportGroup } from '../model/reports/report-parts.ts'
import type { Collections, ConversationDoc } from './collections.ts'
import { keepFigures } from './reports.ts'

export type ErasedConversation = Pick<
  ConversationDoc,
  '_id' | 'epoch' | 'erasedEpochs' | 'erasedFiles' | 'erasedGroups'
>

/** What the figures of an erased history need of its conversation. */
export interface ErasedGroup {
  group: ReportGroup
}

/** Of a history that an older release erased. */
const NO_GROUP: ErasedGroup = { group: { siteId: null, assigneeId: null, labels: [] } }

/**
 * Removes the remaining rows of erased histories, by their epochs: a history that began meanwhile stays. The sweep repeats it
 * where a process died before the end.
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
    // Removed rows have their event, whose number tells readers that there was one.
    await number()
    const groups = JSON.parse(erasedGroups) as Record<string, ErasedGroup>
    const erased = erasedEpochs.map((of) => ({ epoch: of, ...(groups[of] ?? NO_GROUP) }))
    await keepFigures(collections, _id, erased)
    const ofErased = { clientId: _id, epoch: { $in: erasedEpochs } }
    // Files that were sent after `erasedFiles` was read are known by their messages. Times would not do: the clocks of two
    // nodes differ.
    const withFiles = await messages.find({ ...ofErased, attachments: { $exists: true } }).toArray()
    const sent = withFiles.flatMap((message) => message.attachments?.map((file) => file._id) ?? [])
    // Their rows stay until their bytes are gone.
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
    // Without an epoch: it is not known before the first message.
    await identities.deleteMany({ clientId: _id })
    // Answers of endpoints can repeat the event that was posted to them.
    await deliveries.deleteMany({ clientId: _id })
    await searchEntries.deleteMany({ owner: _id, epoch: { $in: erasedEpochs } })
    await searchProgress.deleteOne({ _id, epoch: { $in: erasedEpochs } })
    await conversations.updateOne(
      { _id, epoch },
      { $unset: { erasedEpochs: '', erasedFiles: '', erasedGroups: '', erasedAt: '' } },
    )
  }
}
