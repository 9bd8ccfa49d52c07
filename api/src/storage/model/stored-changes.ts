import type { Storage, StoredChange, StoredListener } from './storage.ts'

type Watched = Pick<Storage, 'messages' | 'conversations' | 'inbox' | 'visitors' | 'contacts' | 'users'>

/** The outcomes of a write that finds its change stored. */
const FOUND: readonly string[] = ['repeated', 'unchanged']

/**
 * Adds a feed of changes to an adapter's repositories. Listeners are called in the order of their registration, once the
 * write is durable and before its call resolves. A refused write notifies no listener.
 * @see docs/decisions/0110-change-feed.md
 */
export function withStoredChanges<R extends Watched>(repositories: R): R & Pick<Storage, 'onStored'> {
  const listeners: StoredListener[] = []
  const { messages, conversations, inbox, visitors, contacts, users } = repositories

  function notify(change: StoredChange): void {
    for (const listener of listeners) listener(change)
  }

  /**
   * The answer to a call that stored its change can get lost, or its process can die. So a failure counts as a change, and
   * so does a call that finds its change, because it can be the retry on another process.
   */
  async function stored<T extends { outcome: string }>(
    kind: 'message' | 'edit' | 'inbox' | 'rating',
    clientId: string,
    write: Promise<T>,
  ): Promise<T> {
    const result = await write.catch((error: unknown) => {
      notify({ kind: 'unknown', clientId })
      throw error
    })
    if (result.outcome === 'stored') notify({ kind, clientId })
    else if (FOUND.includes(result.outcome)) notify({ kind: 'unknown', clientId })
    return result
  }

  /** Every call that succeeds counts, because a user is rarely changed. */
  async function userChanged<T>(write: Promise<T>): Promise<T> {
    const result = await write
    notify({ kind: 'user' })
    return result
  }

  return {
    ...repositories,
    onStored: (listener) => void listeners.push(listener),
    messages: {
      ...messages,
      append: (message) => stored('message', message.clientId, messages.append(message)),
    },
    conversations: {
      ...conversations,
      async erase(clientId, options) {
        const erased = await conversations.erase(clientId, options)
        if (erased) notify({ kind: 'erase', clientId })
        return erased
      },
    },
    inbox: {
      ...inbox,
      change: (clientId, change, options) =>
        stored('inbox', clientId, inbox.change(clientId, change, options)),
      // A block also resolves the conversation.
      block: (clientId, until, options) => stored('inbox', clientId, inbox.block(clientId, until, options)),
      rate: (clientId, rating, options) => stored('rating', clientId, inbox.rate(clientId, rating, options)),
      edit: (edit) => stored('edit', edit.clientId, inbox.edit(edit)),
      async addNote(note) {
        const added = await inbox.addNote(note)
        if (added.outcome !== 'stored') return added
        notify({ kind: 'note', clientId: note.clientId })
        if (added.inboxChanged !== null) notify({ kind: 'inbox', clientId: note.clientId })
        return added
      },
      async addMail(mail) {
        const added = await inbox.addMail(mail)
        if (added.outcome === 'stored') notify({ kind: 'mail', clientId: mail.clientId })
        return added
      },
    },
    visitors: {
      ...visitors,
      async update(clientId, change, options) {
        const updated = await visitors.update(clientId, change, options)
        if (updated.outcome === 'stored') notify({ kind: 'profile', clientId, fields: updated.changed })
        return updated
      },
    },
    contacts: {
      ...contacts,
      async create(contact) {
        const created = await contacts.create(contact)
        notify({ kind: 'contact', contactId: created._id })
        return created
      },
      async remove(id) {
        const removed = await contacts.remove(id)
        if (removed) notify({ kind: 'contact', contactId: id })
        return removed
      },
    },
    users: {
      ...users,
      changeProfile: (id, change) => userChanged(users.changeProfile(id, change)),
      changeCredentials: (id, change) => userChanged(users.changeCredentials(id, change)),
      disable: (id) => userChanged(users.disable(id)),
    },
  }
}
