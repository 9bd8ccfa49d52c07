import { type ConversationWriter, openVisitorChanges } from '../model/conversation/changes.ts'
import { visitorRecord } from '../model/conversation/visitors.ts'
import type { VisitorRepository } from '../model/storage.ts'
import type { Collections } from './collections.ts'
import type { MongoConnection } from './connection.ts'

export function openVisitors(
  { conversations }: Collections,
  majority: MongoConnection['majority'],
  writer: ConversationWriter,
): VisitorRepository {
  return {
    ...openVisitorChanges(writer),

    async find(clientId) {
      const found = await conversations.findOne(
        { _id: clientId },
        { ...majority, projection: { visitor: 1 } },
      )
      return found?.visitor ? visitorRecord(clientId, found.visitor) : null
    },

    async names(clientIds) {
      const found = await conversations
        .find({ _id: { $in: [...clientIds] } }, { ...majority, projection: { visitor: 1 } })
        .toArray()
      return new Map(found.flatMap(({ _id, visitor }) => (visitor?.name ? [[_id, visitor.name]] : [])))
    },
  }
}
