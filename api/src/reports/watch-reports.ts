import { withoutEntry } from '../storage/model/audit.ts'
import { extended, type Storage } from '../storage/model/storage.ts'
import type { Deriver } from './deriver.ts'

/** Wraps the storage: tells the deriver of every change that figures depend on. */
export function watchReports(
  storage: Storage,
  deriver: Pick<Deriver, 'changed' | 'erasing' | 'erased'>,
): Storage {
  const { messages, conversations, inbox } = storage

  async function told<T extends { outcome: string }>(clientId: string, call: Promise<T>): Promise<T> {
    try {
      const result = await call
      if (result.outcome === 'stored') deriver.changed(clientId)
      return result
    } catch (error) {
      // It may be stored, and repeating it stores nothing.
      deriver.changed(clientId)
      throw error
    }
  }

  return extended(storage, {
    messages: extended(messages, {
      append: (message) => told(message.clientId, messages.append(message)),
    }),
    conversations: extended(conversations, {
      async erase(clientId, options) {
        // It writes, and the audit log may have this conversation as erased only once it is. What fails here and below is
        // found by comparing.
        const quarters = await withoutEntry(() => deriver.erasing(clientId)).catch(() => [])
        const erased = await conversations.erase(clientId, options)
        if (erased) await deriver.erased(clientId, quarters).catch(() => {})
        return erased
      },
    }),
    inbox: extended(inbox, {
      change: (clientId, change, options) => told(clientId, inbox.change(clientId, change, options)),
      rate: (clientId, rating, options) => told(clientId, inbox.rate(clientId, rating, options)),
    }),
  })
}
