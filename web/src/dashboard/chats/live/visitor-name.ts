import { aliasOf } from '@proctorpass/shared/alias'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'

/** Returns the name that the visitor gave, or else an alias. */
export function visitorName({
  clientId,
  visitor,
}: {
  clientId: string
  visitor: Pick<ConversationSummary['visitor'], 'name'>
}): string {
  return visitor.name ?? aliasOf(clientId)
}
