import { extended } from '../storage/port/extended.ts'
import type { Storage } from '../storage/port/storage.ts'
import type { Deriver } from './deriver.ts'

/** Wraps the storage: whatever figures are made of reaches the deriver. */
export function watchReports(
  storage: Storage,
  deriver: Pick<Deriver, 'changed' | 'erasing' | 'erased'>,
): Storage {
  const { messages, conversations, inbox } = storage
  return extended(storage, {
    messages: extended(messages, {
      async append(message) {
        const appended = await messages.append(message)
        if (appended.outcome === 'stored') deriver.changed(message.clientId)
        return appended
      },
    }),
    conversations: extended(conversations, {
      async erase(clientId, options) {
        // What fails here and below is found by comparing.
        const quarters = await deriver.erasing(clientId).catch(() => [])
        const erased = await conversations.erase(clientId, options)
        if (erased) await deriver.erased(clientId, quarters).catch(() => {})
        return erased
      },
    }),
    inbox: extended(inbox, {
      async change(clientId, change, options) {
        const outcome = await inbox.change(clientId, change, options)
        if (outcome.outcome === 'stored') deriver.changed(clientId)
        return outcome
      },
      async rate(clientId, rating, options) {
        const rated = await inbox.rate(clientId, rating, options)
        if (rated.outcome === 'stored') deriver.changed(clientId)
        return rated
      },
    }),
  })
}
