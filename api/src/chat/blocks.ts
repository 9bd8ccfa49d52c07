import { AppError } from '@proctorpass/shared/errors'
import type { Blocked } from '@proctorpass/shared/schemas/chat'
import type { Block } from '@proctorpass/shared/schemas/inbox'
import { auditEntry } from '../audit/entry.ts'
import type { Caller } from '../auth/caller.ts'
import { withEntry } from '../storage/model/audit.ts'
import { blockEnd, FOREVER } from '../storage/model/conversation/blocks-and-ratings.ts'
import type { Storage } from '../storage/model/storage.ts'
import { toSummary } from './conversation-list.ts'
import { notifyInboxChanged } from './inbox-notices.ts'
import type { Notify } from './listeners.ts'
import { adminIn } from './permissions.ts'

interface BlocksDeps {
  storage: Pick<Storage, 'inbox'>
  /** Milliseconds since 1970 UTC. */
  now: () => number
  notify: Notify
}

export function createBlocks({ storage, now, notify }: BlocksDeps) {
  return {
    /**
     * Blocks the visitor for some hours from now, or for good if `hours` is null, and resolves their conversation. A
     * null `block` lifts the block and reopens nothing. Returns the block's end as callers see it, and the conversation.
     * Throws an AppError `not-found` for an unknown conversation.
     */
    async set(
      caller: Caller,
      clientId: string,
      block: Block | null,
    ): Promise<Pick<Blocked, 'blockedUntil' | 'data'>> {
      const admin = adminIn(caller)
      const at = now()
      const until = block === null ? null : endOf(block, at)
      const action = block === null ? 'visitor.unblocked' : 'visitor.blocked'
      const details = block === null ? {} : { hours: block.hours }
      const outcome = await withEntry(auditEntry(admin, action, { target: clientId, details }), () =>
        storage.inbox.block(clientId, until, { by: admin.userId, at }),
      )
      if (outcome.outcome === 'missing') throw new AppError('not-found', 'Conversation not found.')
      const { conversation } = outcome
      if (outcome.outcome === 'stored' && conversation !== null) {
        notifyInboxChanged(notify, { conversation, activity: outcome.activity }, at)
      }
      return { blockedUntil: blockEnd(until, at), data: conversation && toSummary(conversation, at) }
    },
  }
}

function endOf({ hours }: Block, at: number): number {
  return hours === null ? FOREVER : at + hours * 3_600_000
}

/** Creates the error that a blocked visitor receives when they send something. */
export function blockedError(supportEmail: string): AppError {
  return new AppError('blocked', `You can't send messages here. Write to ${supportEmail} instead.`)
}
