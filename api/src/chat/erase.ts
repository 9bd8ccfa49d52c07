import { AppError } from '@proctorpass/shared/errors'
import { auditEntry } from '../audit/entry.ts'
import type { Caller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import { type NewAuditEntry, withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Attachments } from './attachments.ts'
import type { Notify } from './listeners.ts'
import { keyOf, mustHaveKey, senderIn } from './permissions.ts'

interface EraseDeps {
  storage: Pick<Storage, 'conversations'>
  attachments: Pick<Attachments, 'removeOf'>
  limits: Pick<Limits, 'take' | 'charge'>
  notify: Notify
  unreadChanged: (clientId: string, adminUnread: number) => void
  keepFigures: KeepFigures
}

/** Calls `erase`, and keeps what the conversation added to the figures of reports. Resolves to what `erase` does. */
export type KeepFigures = (clientId: string, erase: () => Promise<boolean>) => Promise<boolean>

export function createErase({ storage, attachments, limits, notify, unreadChanged, keepFigures }: EraseDeps) {
  const { conversations } = storage

  async function erase(
    clientId: string,
    options: Parameters<Storage['conversations']['erase']>[1],
    entry?: NewAuditEntry,
  ): Promise<boolean> {
    const write = () => keepFigures(clientId, () => conversations.erase(clientId, options))
    const isErased = await (entry === undefined ? write() : withEntry(entry, write))
    if (isErased) {
      const keyHashes = (await conversations.find(clientId))?.keyHashes ?? []
      notify((listener) => listener.conversationErased(clientId, keyHashes))
      unreadChanged(clientId, 0)
    }
    // This also removes files that a process left when it died. All of them already count as gone, and the sweep
    // removes what this leaves within a minute.
    await attachments.removeOf(clientId).catch(() => {})
    return isErased
  }

  return {
    /**
     * Removes a conversation for good: its messages, files, and log, and the visitor's data, links, jobs, and the keys
     * that links gave to other devices. A block stays. Throws an AppError `not-found` if the conversation does not
     * exist.
     */
    async erase(caller: Caller, clientId: string): Promise<void> {
      senderIn(caller, clientId)
      if (caller.side === 'visitor') await limits.take('erase', caller.address)
      const actor = caller.side === 'admin' ? caller : null
      const entry = auditEntry(actor, 'conversation.erased', { target: clientId })
      if (await erase(clientId, keyOf(caller), entry)) return
      const found = await conversations.find(clientId)
      if (found !== null) await mustHaveKey(limits, caller, found.keyHashes)
      throw new AppError('not-found', 'Conversation not found.')
    },

    /**
     * Erases the conversation for the system, unless a message is newer than `idleSince`. With `isSpam`, it must also
     * have been marked as spam by then. Resolves to false if it erased nothing.
     */
    eraseIdle: (clientId: string, idleSince: number, isSpam: boolean): Promise<boolean> =>
      erase(clientId, { idleSince, isSpam }),
  }
}
