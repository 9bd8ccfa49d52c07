import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { cleanFileName } from '@proctorpass/shared/fields/file-name'
import {
  CONVERSATION_ATTACHMENTS_BYTES_MAX,
  CONVERSATION_ATTACHMENTS_MAX,
  NONCE_PATTERN,
  UNSENT_ATTACHMENT_MS,
} from '@proctorpass/shared/limits'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { Caller } from '../auth/caller.ts'
import { readLimitKey } from '../auth/visitor-key.ts'
import { type Limits, pointsForFile } from '../limits/limits.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import { type AttachmentRecord, isExpired, toAttachment } from '../storage/model/conversation/attachments.ts'
import { isBlocked } from '../storage/model/conversation/blocks-and-ratings.ts'
import { opens } from '../storage/model/conversation/visitor-keys.ts'
import { type FileStore, storageFull } from '../storage/model/file-store.ts'
import { newId } from '../storage/model/ids.ts'
import type { Storage } from '../storage/model/storage.ts'
import { type AttachmentContent, attachmentContentOf } from './attachment-content.ts'
import { blockedError } from './blocks.ts'
import { keyOf, mustHaveKey, senderIn, wrongKey } from './permissions.ts'

export interface AttachmentInput {
  clientId: string
  nonce: string | undefined
  /** Null if no file was sent. `name` is the sender's claim. */
  file: { name: string; bytes: Buffer } | null
}

interface MailedFile {
  clientId: string
  nonce: string
  /** `isRest` means that the file is the rest of a long text. */
  file: { name: string; bytes: Buffer; isRest: boolean }
}

interface AddedAttachment {
  attachment: Attachment
  /** Whether the file was already stored under this nonce. */
  repeated: boolean
}

export interface OpenedAttachment {
  attachment: Attachment
  /** The number of stored bytes. */
  size: number
  stream: Readable
}

interface AttachmentsDeps {
  storage: Pick<Storage, 'attachments' | 'conversations' | 'inbox'>
  files: FileStore
  limits: Pick<Limits, 'take' | 'charge' | 'refund'>
  settings: Pick<SettingsUseCases, 'current'>
  /** A blocked visitor is told to write to this address. */
  supportEmail: string
  /** The limit for all attachments together, in bytes. */
  uploadsMaxBytes: number
  now: () => number
}

/** Longer than it may take to store a message whose file had almost expired. */
const SWEEP_AFTER_MS = UNSENT_ATTACHMENT_MS + 60 * 60 * 1_000
const SWEEP_BATCH = 100
const BOUNDS = { files: CONVERSATION_ATTACHMENTS_MAX, bytes: CONVERSATION_ATTACHMENTS_BYTES_MAX }
/**
 * The share of the space for attachments that unsent files may take, because visitors could fill it with files that they
 * never send.
 */
const UNSENT_SHARE = 0.2

/** The use cases of attachments. A file is uploaded first, then sent with a message. */
export function createAttachments(deps: AttachmentsDeps) {
  const { storage, files, limits, settings, supportEmail, uploadsMaxBytes, now } = deps
  const { attachments, conversations, inbox } = storage

  async function mustBeAllowed(caller: Caller, clientId: string): Promise<void> {
    senderIn(caller, clientId)
    if (caller.side === 'admin') return
    if (!(await settings.current()).files) {
      throw new AppError('forbidden', "Files can't be sent in this chat.")
    }
    const found = await conversations.find(clientId)
    if (found === null) return
    await mustHaveKey(limits, caller, found.keyHashes)
    if (isBlocked(found.blockedUntil, now())) throw blockedError(supportEmail)
  }

  /** Removes the bytes before the row, because a later sweep finds remaining bytes by the row. */
  async function discard(id: string): Promise<void> {
    await files.remove(id)
    await attachments.remove(id)
  }

  /** Returns the file of an earlier attempt, whose bytes may be missing; null if there is none. */
  async function earlier(upload: AttachmentKey, sentHash: string): Promise<AttachmentRecord | null> {
    const found = await attachments.findByNonce(upload)
    if (found === null) return null
    if (isExpired(found, now())) {
      await discard(found._id)
      return null
    }
    if (found.sentHash !== sentHash || found.keyHash !== upload.keyHash) throw nonceTaken()
    return found
  }

  async function add(
    caller: Caller,
    upload: AttachmentKey,
    sent: { name: string; bytes: Buffer },
    sentHash: string,
  ) {
    const { side } = caller
    const content = await attachmentContentOf(sent.bytes, {
      side,
      async admit(pixels) {
        if (side === 'visitor') await limits.take('pixels', caller.address, Math.ceil(pixels / 1e6))
      },
    })
    const file = { ...upload, ...content, sentHash, name: cleanFileName(sent.name, content.type) }
    if (side === 'admin') return store(file, side)
    const points = pointsForFile(content.bytes.length)
    const refund = () => limits.refund('unsent', caller.address, points)
    try {
      await limits.take('unsent', caller.address, points)
      const stored = await store(file, side)
      if (stored.repeated) await refund()
      return stored
    } catch (error) {
      await refund()
      throw error
    }
  }

  async function store({ bytes, ...file }: AttachmentKey & AttachmentContent & Named, side: Side) {
    const createdAt = now()
    const unsentBytes = side === 'admin' ? null : uploadsMaxBytes * UNSENT_SHARE
    const added = await attachments.add(
      { ...file, _id: newId(createdAt), bytes: bytes.length, createdAt },
      { ...BOUNDS, unsentBytes },
    )
    if (added.outcome === 'nonce-taken') throw nonceTaken()
    if (added.outcome === 'full') {
      throw new AppError('too-many-files', 'This conversation has too many files. Email us instead.')
    }
    if (added.outcome === 'no-room') throw storageFull()
    const { _id } = added.attachment
    try {
      await files.put(_id, bytes, side)
    } catch (error) {
      // The file counts as gone before anything is removed, because the same upload, sent twice at once, may store its
      // bytes in the meantime. If the store is away, the row stays for the next attempt.
      if (error instanceof AppError && error.code === 'storage-full') {
        await attachments.expire(_id)
        await discard(_id)
      }
      throw error
    }
    const current = await attachments.find(file.clientId, _id)
    if (current === null || isExpired(current, now())) {
      // The file was erased in the meantime, perhaps before there were bytes to remove.
      await discard(_id)
      throw new AppError('unavailable', "This file couldn't be saved. Try again.")
    }
    return { attachment: toAttachment(added.attachment), repeated: added.outcome === 'repeated' }
  }

  async function mayOpen(caller: Caller, found: AttachmentRecord): Promise<boolean> {
    const isUploader = found.senderId === senderIn(caller, found.clientId)
    if (found.messageNonce === null && !isUploader) return false
    if (caller.side === 'admin') return true
    const conversation = await conversations.find(found.clientId)
    if (conversation !== null && !opens(conversation.keyHashes, caller.keyHash)) {
      await wrongKey(limits, caller)
      return false
    }
    if (found.senderId !== found.clientId && (await waits(found, inbox))) return false
    return found.messageNonce !== null || found.keyHash === caller.keyHash
  }

  async function removeUnsent(before: number, clientId?: string): Promise<void> {
    for (;;) {
      const found = await attachments.listUnsent({
        before,
        limit: SWEEP_BATCH,
        ...(clientId === undefined ? {} : { clientId }),
      })
      if (found.length === 0) return
      // One file that cannot be removed must not keep the others.
      const discarded = await Promise.allSettled(found.map(discard))
      const failed = discarded.find((each) => each.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    }
  }

  return {
    /** Throws unless the caller may upload here now. Call this before you read the file. */
    async admit(caller: Caller, clientId: string): Promise<void> {
      if (caller.side === 'visitor') await limits.take('poll', readLimitKey(clientId, caller.address))
      await mustBeAllowed(caller, clientId)
    },

    /** Stores a file for the caller's next message. */
    async upload(caller: Caller, { clientId, nonce, file }: AttachmentInput): Promise<AddedAttachment> {
      if (nonce === undefined || !NONCE.test(nonce))
        throw fieldError('nonce', 'The nonce is missing or malformed.')
      if (file === null) throw fieldError('file', 'Choose a file.')
      // Reading the file took a while, so the permission is checked again.
      await mustBeAllowed(caller, clientId)
      const senderId = senderIn(caller, clientId)
      const upload = { clientId, senderId, nonce, keyHash: keyOf(caller).keyHash ?? null }
      const sentHash = hashOf(file.bytes)
      if (caller.side === 'visitor') {
        for (const kind of ['file', 'file-day'] as const)
          await limits.take(kind, caller.address, pointsForFile(file.bytes.length))
      }
      const found = await earlier(upload, sentHash)
      if (found !== null && (await hasBytes(files, found._id))) {
        return { attachment: toAttachment(found), repeated: true }
      }
      return add(caller, upload, file, sentHash)
    },

    /** Stores a file from a visitor's mail as `upload` does, once for each nonce. */
    async receive({ clientId, nonce, file }: MailedFile): Promise<Attachment> {
      const { name, bytes, isRest } = file
      const upload = { clientId, senderId: clientId, nonce, keyHash: null }
      const sentHash = hashOf(bytes)
      const found = await earlier(upload, sentHash)
      if (found !== null && (await hasBytes(files, found._id))) return toAttachment(found)
      const content: AttachmentContent = isRest
        ? { type: 'text/plain', bytes, width: null, height: null }
        : await attachmentContentOf(bytes, { side: 'visitor', admit: async () => {} })
      const named = { sentHash, name: cleanFileName(name, content.type) }
      return (await store({ ...upload, ...content, ...named }, 'visitor')).attachment
    },

    /**
     * Throws an AppError `not-found` unless the caller may see the file. The caller must read or destroy the stream.
     */
    async open(caller: Caller, clientId: string, id: string): Promise<OpenedAttachment> {
      const found = await attachments.find(clientId, id)
      if (found !== null && !isExpired(found, now()) && (await mayOpen(caller, found))) {
        const opened = await files.open(id)
        if (opened !== null) {
          return { attachment: toAttachment(found), size: opened.file.size, stream: opened.stream }
        }
      }
      throw new AppError('not-found', 'File not found.')
    },

    /** Removes the files that an erased history left. Call it after the history was erased; the sweep repeats it. */
    removeOf: (clientId: string): Promise<void> => removeUnsent(1, clientId),
    /** Removes files that were never sent, and what is left of erased ones. */
    sweep: (): Promise<void> => removeUnsent(now() - SWEEP_AFTER_MS),
  }
}

async function hasBytes(files: FileStore, id: string): Promise<boolean> {
  const found = await files.open(id)
  found?.stream.destroy()
  return found !== null
}

/** Returns whether the file's message is sent later. Until then, only admins see it. */
async function waits(
  { clientId, messageNonce }: AttachmentRecord,
  inbox: Pick<Storage['inbox'], 'scheduled'>,
): Promise<boolean> {
  return (await inbox.scheduled(clientId)).some(({ nonce }) => nonce === messageNonce)
}

export type Attachments = ReturnType<typeof createAttachments>

type AttachmentKey = Pick<AttachmentRecord, 'clientId' | 'senderId' | 'nonce' | 'keyHash'>
type Named = Pick<AttachmentRecord, 'sentHash' | 'name'>

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url')

const NONCE = new RegExp(NONCE_PATTERN)

function nonceTaken(): AppError {
  return new AppError('conflict', 'This file was already sent with different content.')
}
