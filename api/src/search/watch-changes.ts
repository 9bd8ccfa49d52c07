import type { ProfileField } from '../storage/model/conversation/visitors.ts'
import { extended, type Storage } from '../storage/model/storage.ts'
import type { Indexer } from './indexer.ts'

/** The fields of a visitor that a search finds. */
const NAMES: readonly (ProfileField | 'pages')[] = ['name', 'email']

/** Wraps the storage: tells the indexer of every text that is stored or erased. */
export function watchChanges(storage: Storage, changed: Indexer['changed']): Storage {
  const { messages, conversations, inbox, visitors, contacts } = storage
  return extended(storage, {
    messages: extended(messages, {
      async append(message) {
        const appended = await messages.append(message)
        if (appended.outcome === 'stored') changed(message.clientId, 'conversation')
        return appended
      },
    }),
    conversations: extended(conversations, {
      async erase(clientId, options) {
        const erased = await conversations.erase(clientId, options)
        if (erased) changed(clientId, 'conversation')
        return erased
      },
    }),
    inbox: extended(inbox, {
      async addNote(note) {
        const added = await inbox.addNote(note)
        if (added.outcome === 'stored') changed(note.clientId, 'conversation')
        return added
      },
      async addMail(mail) {
        const added = await inbox.addMail(mail)
        if (added.outcome === 'stored') changed(mail.clientId, 'conversation')
        return added
      },
    }),
    visitors: extended(visitors, {
      async update(clientId, change, options) {
        const updated = await visitors.update(clientId, change, options)
        const isNamed = updated.outcome === 'stored' && updated.changed.some((field) => NAMES.includes(field))
        if (isNamed) changed(clientId, 'conversation')
        return updated
      },
    }),
    contacts: extended(contacts, {
      async create(contact) {
        const created = await contacts.create(contact)
        changed(created._id, 'contact')
        return created
      },
      async remove(id) {
        const removed = await contacts.remove(id)
        if (removed) changed(id, 'contact')
        return removed
      },
    }),
  })
}
