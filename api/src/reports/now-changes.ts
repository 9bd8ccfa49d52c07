import { extended, type Storage } from '../storage/model/storage.ts'

/** Tells that something of `GET /reports/now` may have changed by this node. */
export interface NowChanges {
  changed(): void
  onChanged(listener: () => void): void
}

export function createNowChanges(): NowChanges {
  const listeners: (() => void)[] = []
  return {
    changed() {
      for (const listener of listeners) listener()
    },
    onChanged(listener) {
      listeners.push(listener)
    },
  }
}

/** Wraps the storage: messages, changes of the inbox, erased conversations, names, and admins who go on or off duty. */
export function watchNow(storage: Storage, { changed }: Pick<NowChanges, 'changed'>): Storage {
  const { messages, conversations, inbox, users, visitors } = storage
  return extended(storage, {
    messages: extended(messages, {
      async append(message) {
        const appended = await messages.append(message)
        if (appended.outcome === 'stored') changed()
        return appended
      },
    }),
    conversations: extended(conversations, {
      async erase(clientId, options) {
        const erased = await conversations.erase(clientId, options)
        if (erased) changed()
        return erased
      },
    }),
    inbox: extended(inbox, {
      async change(clientId, change, options) {
        const outcome = await inbox.change(clientId, change, options)
        if (outcome.outcome === 'stored') changed()
        return outcome
      },
    }),
    visitors: extended(visitors, {
      async update(clientId, change, options) {
        const updated = await visitors.update(clientId, change, options)
        if (updated.outcome === 'stored' && updated.changed.includes('name')) changed()
        return updated
      },
    }),
    users: extended(users, {
      async changeProfile(id, change) {
        const user = await users.changeProfile(id, change)
        changed()
        return user
      },
      async changeCredentials(id, change) {
        const ended = await users.changeCredentials(id, change)
        changed()
        return ended
      },
      async disable(id) {
        const disabled = await users.disable(id)
        changed()
        return disabled
      },
    }),
  })
}
