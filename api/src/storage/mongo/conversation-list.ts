import { labelKey } from '@proctorpass/shared/label-key'
import { LISTED_STATUSES, type Status, UNRESOLVED_STATUSES } from '@proctorpass/shared/schemas/inbox'
import type { Filter } from 'mongodb'
import type { ConversationCursor, ConversationFilter } from '../model/conversation/conversation.ts'
import { conversationPage } from '../model/conversation/rows.ts'
import type { ConversationRepository } from '../model/storage.ts'
import { recordOf } from './activity-log.ts'
import { anyOf, type Collections, type ConversationDoc, NOT_SPAM } from './collections.ts'
import type { MongoConnection } from './connection.ts'

const WAITING_ORDER = { waitingSince: 1, clientId: 1 } as const
const ANSWERED_ORDER = { lastAt: -1, clientId: 1 } as const
const EXAM_ORDER = { 'visitor.examAt': 1, clientId: 1 } as const

interface IndexRange {
  filter: Filter<ConversationDoc>
  order: typeof WAITING_ORDER | typeof ANSWERED_ORDER | typeof EXAM_ORDER
}

/** Opens the list of conversations. Each filter has its own indexes in the list's order. */
export function openConversationList(
  { conversations }: Pick<Collections, 'conversations'>,
  majority: MongoConnection['majority'],
): ConversationRepository['list'] {
  async function read(ranges: IndexRange[], fields: Filter<ConversationDoc>, wanted: number) {
    const found: ConversationDoc[] = []
    for (const { filter, order } of ranges) {
      if (found.length === wanted) break
      const cursor = conversations.find({ ...fields, ...filter }, majority).sort(order)
      found.push(...(await cursor.limit(wanted - found.length).toArray()))
    }
    return found
  }

  return async ({ limit, after, filter = {} }) => {
    const fields = fieldsOf(filter)
    const ranges = filter.exam === undefined ? rangesAfter(after) : examRanges(filter.exam, after)
    const found = await read(ranges, fields, limit + 1)
    return conversationPage(found, limit, recordOf, filter.exam !== undefined)
  }
}

/** Returns the filter for the documents, without the list's order. */
function fieldsOf({
  statuses,
  assigneeId,
  label,
  unread,
  siteId,
  exam,
}: ConversationFilter): Filter<ConversationDoc> {
  const unresolved: readonly Status[] = UNRESOLVED_STATUSES
  const wanted = (statuses ?? LISTED_STATUSES).filter(
    (status) => exam === undefined || unresolved.includes(status),
  )
  // The indexes for assignees, labels, and sites have the status before the order, so a filter by them names every
  // status.
  const isAny =
    statuses === undefined &&
    assigneeId === undefined &&
    label === undefined &&
    siteId === undefined &&
    exam === undefined
  return {
    status: isAny ? NOT_SPAM : anyOf(wanted),
    ...(assigneeId === undefined ? {} : { assigneeId }),
    ...(label === undefined ? {} : { labelKeys: labelKey(label) }),
    ...(siteId === undefined ? {} : { siteId: siteId ?? NO_SITE }),
    ...(unread ? { adminUnread: { $gt: 0 } } : {}),
  }
}

/** Matches a missing site, because not every server finds a missing field by null alone. */
const NO_SITE = { $in: [null] }

/** Returns the list's index ranges after a cursor in their order: waiting conversations first, then answered ones. */
function rangesAfter(cursor: ConversationCursor | undefined): IndexRange[] {
  // `lastAt` is 0 in a conversation without messages, which is new or was erased.
  const answered = (lastAt = Number.MAX_SAFE_INTEGER): IndexRange => ({
    filter: { waitingSince: null, lastAt: { $lt: lastAt, $gt: 0 } },
    order: ANSWERED_ORDER,
  })
  if (cursor === undefined) {
    return [{ filter: { waitingSince: { $gt: 0 } }, order: WAITING_ORDER }, answered()]
  }
  const { waitingSince, lastAt } = cursor
  const clientId = { $gt: cursor.clientId }
  if (waitingSince === null) {
    return [{ filter: { waitingSince, lastAt, clientId }, order: ANSWERED_ORDER }, answered(lastAt)]
  }
  return [
    { filter: { waitingSince, clientId }, order: WAITING_ORDER },
    { filter: { waitingSince: { $gt: waitingSince } }, order: WAITING_ORDER },
    answered(),
  ]
}

function examRanges(
  { from, to }: NonNullable<ConversationFilter['exam']>,
  cursor: ConversationCursor | undefined,
): IndexRange[] {
  const lastAt = { $gt: 0 }
  const range = (examAt: object | number, rest = {}): IndexRange => ({
    filter: { 'visitor.examAt': examAt, lastAt, ...rest } as Filter<ConversationDoc>,
    order: EXAM_ORDER,
  })
  if (cursor?.examAt === undefined) return [range({ $gte: from, $lte: to })]
  return [
    range(cursor.examAt, { clientId: { $gt: cursor.clientId } }),
    range({ $gt: cursor.examAt, $lte: to }),
  ]
}
