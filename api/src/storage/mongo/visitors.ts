import type { VisitorRepository } from '../port/visitors.ts'
import { type ConversationWriter, openVisitorChanges } from '../rules/changes.ts'
import { visitorRecord } from '../rules/visitors.ts'
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
