import type { AttachmentType } from '@proctorpass/shared/schemas/attachment'
import type { Outbox, OutboxEntry } from './outbox.ts'
import type { Tab } from './tab.ts'
import type { Party } from './types.ts'

/** A file of a pending message. Its bytes are kept under the nonce. */
export interface PendingAttachment {
  nonce: string
  /** Names the upload, the same on every retry, when it is not the nonce: what had that name is gone or taken. */
  uploadNonce?: string
  name: string
  type: AttachmentType
  bytes: number
  /** In pixels, of an image only. */
  width?: number
  height?: number
  /** When its upload moved last, for the other tabs. */
  movedAt?: number
  /** Once it is uploaded. */
  uploaded?: { id: string; at: number }
  /** The server's answer to the upload was final. */
  refused?: boolean
}

/** The files of one conversation, on this device and on the server. */
export interface ConversationAttachments {
  /** Keeps the bytes across reloads. Rejects when this device cannot. */
  keep(nonce: string, bytes: Blob): Promise<void>
  /** Null when they are gone. */
  kept(nonce: string): Promise<Blob | null>
  forget(nonces: readonly string[]): Promise<void>
  /** The bytes of an attachment. Rejects with AppError. */
  load(id: string, signal?: AbortSignal): Promise<Blob>
  uploads(outbox: Outbox, onChange: () => void): AttachmentUploads
}

/** AttachmentUploads the files of an outbox, for delivery. */
export interface AttachmentUploads {
  withProgress(entry: OutboxEntry): OutboxEntry
  /** Ends the upload of a message that does not wait any more: canceled, perhaps in another tab. */
  check(): void
  /** The ids of the message's files, which are on the server afterwards. Rejects with AppError. */
  run(nonce: string): Promise<string[]>
  /** The server has removed them: too old, or of an erased conversation. False when one of them was refused. */
  uploadAgain(nonce: string): boolean
  /** The entry of a message that is sent again, without one of its files if given; null when nothing is left of it. */
  again(entry: OutboxEntry, without?: string): OutboxEntry | null
}

/** Opens the files of a conversation; its code is loaded then. Each call may give another object. */
export type OpenAttachments = (
  party: Party & {
    tab: Tab
    /** Null and missing without one. */
    visitorKey?: string | null
  },
) => Promise<ConversationAttachments>
