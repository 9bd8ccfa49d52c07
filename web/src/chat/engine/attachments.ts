import type { AttachmentType } from '@proctorpass/shared/schemas/attachment'
import type { Outbox, OutboxEntry } from './outbox.ts'
import type { Tab } from './tab.ts'
import type { Party } from './types.ts'

/** A pending message's file. Its bytes are stored under the nonce. */
export interface PendingAttachment {
  nonce: string
  /**
   * The upload's name, the same on every retry, if it is not the nonce. The file under the old name is gone, or the
   * name is taken.
   */
  uploadNonce?: string
  name: string
  type: AttachmentType
  bytes: number
  /** An image's width in pixels. */
  width?: number
  height?: number
  /** When the file's upload last moved, for the other tabs. */
  movedAt?: number
  /** Set once the file is uploaded. */
  uploaded?: { id: string; at: number }
  /** Whether the server's answer to the upload was final. */
  refused?: boolean
}

/** One conversation's files, on this device and on the server. */
export interface ConversationAttachments {
  /** Stores the bytes across reloads. Rejects if this device cannot. */
  keep(nonce: string, bytes: Blob): Promise<void>
  /** Resolves to null if the bytes are gone. */
  kept(nonce: string): Promise<Blob | null>
  forget(nonces: readonly string[]): Promise<void>
  /** Resolves to an attachment's bytes. Rejects with an AppError. */
  load(id: string, signal?: AbortSignal): Promise<Blob>
  uploads(outbox: Pick<Outbox, 'find' | 'replace'>, onChange: () => void): AttachmentUploads
}

/** Uploads an outbox's files, for delivery. */
export interface AttachmentUploads {
  withProgress(entry: OutboxEntry): OutboxEntry
  /** Aborts the upload of a message that no longer waits, because it was canceled, perhaps in another tab. */
  check(): void
  /**
   * Uploads what is missing. Resolves to the IDs of the message's files, all of which are on the server then. Rejects
   * with an AppError.
   */
  run(nonce: string): Promise<string[]>
  /**
   * Marks the files for uploading again, because the server has removed them as too old or with an erased conversation.
   * Returns false if the server refused one of them.
   */
  uploadAgain(nonce: string): boolean
  /**
   * Returns the entry for a message that is sent again, without one of its files if given. Returns null if nothing is
   * left of the message.
   */
  again(entry: OutboxEntry, without?: string): OutboxEntry | null
}

/** Opens a conversation's files, and loads the code for them. Each call may return another object. */
export type OpenAttachments = (
  party: Party & {
    tab: Tab
    /** Null or missing if there is no key. */
    visitorKey?: string | null
  },
) => Promise<ConversationAttachments>
