import { AppError } from '@proctorpass/shared/errors'
import { PAGE_LIMIT_MAX } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ConversationExport, ExportedMessage } from '@proctorpass/shared/schemas/export'
import { auditEntry } from '../audit/entry.ts'
import type { Caller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import type { Sites } from '../sites/sites.ts'
import type { MessagePage } from '../storage/model/conversation/messages.ts'
import { claimOf, pagesOf } from '../storage/model/conversation/visitors.ts'
import type { Storage } from '../storage/model/storage.ts'
import { businessName, peopleIn } from './people.ts'
import { keyOf, mustHaveKey, senderIn, takeOfConversation } from './permissions.ts'
import { toRating } from './ratings.ts'

/**
 * Writes a conversation as a JSON file for its visitor, in parts, so that only one page of messages is in memory at a
 * time. The file has nothing from the admins' side. Throws an AppError `not-found` if there is no conversation. The
 * parts reject if the conversation is erased in the meantime.
 */
export type ExportConversation = (caller: Caller, clientId: string) => Promise<AsyncIterable<string>>

interface ExportDeps {
  storage: Pick<Storage, 'messages' | 'conversations' | 'visitors' | 'inbox' | 'users' | 'apiKeys' | 'audit'>
  limits: Pick<Limits, 'take' | 'charge'>
  findSite: Sites['find']
  brand: string
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

export function createExport({ storage, limits, findSite, brand, now }: ExportDeps): ExportConversation {
  const pageAfter = (clientId: string, after: number) =>
    storage.messages.page(clientId, { after, limit: PAGE_LIMIT_MAX })

  async function* parts(clientId: string, first: MessagePage): AsyncIterable<string> {
    const [known, ratings, business] = await Promise.all([
      storage.visitors.find(clientId),
      storage.inbox.ratings(clientId),
      businessName(first.site, { findSite, brand }),
    ])
    const { signed, ...claim } = claimOf(known)
    const { device = null, page: path = null, referrer = null, card = null, lastSeenAt = null } = known ?? {}
    const head: Omit<ConversationExport, 'messages'> = {
      exportedAt: new Date(now()).toISOString(),
      site: business,
      ...(first.site === null ? {} : { website: first.site.name }),
      profile: {
        ...claim,
        ...(signed === null ? {} : { signed }),
        device,
        page: path,
        referrer,
        card,
        lastSeenAt: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
        pages: pagesOf(known),
      },
      ratings: ratings.map(toRating),
    }
    yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "messages": [`
    let separator = '\n    '
    for (let page = first; ; ) {
      let text = ''
      for (const message of await exported(page.messages, business)) {
        text += separator + JSON.stringify(message)
        separator = ',\n    '
      }
      yield text
      const last = page.messages.at(-1)
      if (!page.more || last === undefined) break
      const next = await pageAfter(clientId, last.seq)
      if (next?.epoch !== first.epoch) throw new AppError('not-found', 'The conversation was erased.')
      page = next
    }
    yield '\n  ]\n}\n'
  }

  async function exported(messages: readonly Message[], business: string): Promise<ExportedMessage[]> {
    const people = (await peopleIn(messages, { storage, business, side: 'visitor' })) ?? {}
    return messages.map(({ senderId, clientId, message: text, createdAt: at, attachments, editedAt }) => ({
      at,
      ...(editedAt === undefined ? {} : { editedAt }),
      from: senderId === clientId ? 'you' : (people[senderId]?.name ?? business),
      text,
      ...(attachments === undefined ? {} : { attachments: attachments.map(({ name }) => name) }),
    }))
  }

  return async (caller, clientId) => {
    senderIn(caller, clientId)
    if (caller.side === 'admin') await limits.take('export', caller.userId)
    else await takeOfConversation({ limits, storage }, 'export', caller)
    const { keyHash } = keyOf(caller)
    const first = await storage.messages.page(clientId, { after: 0, limit: PAGE_LIMIT_MAX, keyHash })
    if (first !== null) await mustHaveKey(limits, caller, first.keyHashes)
    if (first === null || first.seq === 0) throw new AppError('not-found', 'Conversation not found.')
    // The entry is stored before the first part, because sent bytes cannot be taken back.
    const actor = caller.side === 'admin' ? caller : null
    await storage.audit.append(auditEntry(actor, 'conversation.exported', { target: clientId }))
    return parts(clientId, first)
  }
}
