import type { Storage } from '../storage/storage.ts'
import type { Indexer } from './indexer.ts'

/** Wraps the storage: whatever is stored or erased through it is indexed. */
export function watchChanges(storage: Storage, changed: Indexer['changed']): Storage {
  const { messages, conversations, contacts } = storage
  return extended(storage, {
    messages: extended(messages, {
      async append(message) {
        const appended = await messages.append(message)
        if (appended.outcome === 'stored') changed(message.clientId, 'conversation')
        return appended
      },
    }),
    conversations: extended(conversations, {
      async erase(clientId, keyHash) {
        const erased = await conversations.erase(clientId, keyHash)
        if (erased) changed(clientId, 'conversation')
        return erased
      },
    }),
    contacts: extended(contacts, {
      async create(contact) {
        const created = await contacts.create(contact)
        changed(created._id, 'contact')
        return created
      },
    }),
  })
}

function extended<T extends object>(port: T, methods: Partial<T>): T {
  return Object.assign(Object.create(port), methods)
}
