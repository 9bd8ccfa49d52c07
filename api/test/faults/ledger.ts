import { isDeepStrictEqual } from 'node:util'
import type { Side } from '@proctorpass/shared/events'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import type { ConversationSummary, Message } from '@proctorpass/shared/schemas/chat'
import type { Activity, ConversationChange, Then } from '@proctorpass/shared/schemas/inbox'
import { areFiles, isFile, type TypedFile } from './files.ts'
import type { SentLater } from './scheduled.ts'

/** A message that one person typed into one conversation. */
export interface Typed {
  clientId: string
  senderId: string
  /** One user may write from several browsers, and only within one is there an order of typing. */
  browser: string
  nonce: string
  message: string
  files: readonly TypedFile[]
  /** The status that goes with it. Each snooze ends at its own time, so that its entry is known. */
  then?: Then | undefined
  /** The engine held the reply once, because others wrote meanwhile: its place in the order is open. */
  wasHeld: boolean
  /** The person discarded the held reply. A request that was under way may have stored it. */
  wasDiscarded: boolean
}

/** A change of a conversation that was answered. */
export interface AnsweredChange {
  clientId: string
  change: ConversationChange
  /** The version that it named, if any. */
  version: number | undefined
  /** The admin. */
  by: string
  answer: ConversationSummary | 'stale'
}

/** Everything that was typed and acknowledged, against which the store is read back; and every violation. */
export class Ledger {
  readonly violations: string[] = []
  readonly counts = {
    connections: 0,
    cut: 0,
    deaf: 0,
    halfClosed: 0,
    slow: 0,
    /** Answers that a gateway or a cache gave in place of the server. */
    foreign: 0,
    reloads: 0,
    /** Messages that a reload found in the outbox. */
    survived: 0,
    restSends: 0,
    /** Sent twice at once. */
    doubled: 0,
    /** Sent again long after the acknowledgement. */
    late: 0,
    /** REST calls without an answer in time, or with half of one. */
    unanswered: 0,
    held: 0,
    discarded: 0,
    /** Messages that were typed with a status. */
    withStatus: 0,
    /** Of conversations, by admins: answered or not. */
    changes: 0,
    factsPushed: 0,
    factsDisturbed: 0,
    /** Requests, repeats included. */
    uploads: 0,
    /** Files on the server whose message was not, when a process was killed. */
    killedBetween: 0,
  }
  /** In the order of typing, over all. */
  readonly typed: Typed[] = []
  /** By name: the files of typed messages. */
  readonly files = new Map<string, { file: TypedFile; typed: Typed }>()
  /** By name: what the server answered to uploads. */
  readonly uploaded = new Map<string, Attachment>()
  /** Whether a full disk may refuse files. */
  mayRefuseFiles = () => false
  /** The names of files that a full disk refused. The next attempt is another upload. */
  readonly refusedFiles = new Set<string>()
  #uploadHold: { reach: () => void; released: Promise<void> } | null = null
  /** By nonce: what the engine took for stored. */
  readonly acknowledged = new Map<string, Message>()
  /** The texts of all notes that were sent, by nonce. */
  readonly notes = new Map<string, string>()
  /** By a note's text: the admin to whom it hands the conversation. */
  readonly handovers = new Map<string, string>()
  readonly acknowledgedNotes = new Map<string, Activity>()
  /** The corrections that were sent, by their words, which are unique. */
  readonly edits = new Map<string, { clientId: string; nonce: string; isStored: boolean }>()
  readonly changes: AnsweredChange[] = []
  /** By nonce: the messages that admins scheduled, answered or not. */
  readonly scheduled = new Map<string, SentLater>()
  /** How many of them an admin is still scheduling, changing, or canceling. */
  scheduling = 0
  /** By conversation: how often changes may have resolved it, answered or not. */
  readonly resolves = new Map<string, number>()
  /** Conversations in which the crowd does nothing. */
  readonly apart = new Set<string>()
  /** Those that were sent, by their words, which are unique. */
  readonly ratings = new Map<string, { clientId: string; score: number; isStored: boolean }>()
  readonly #epochs = new Map<string, string>()
  readonly #marks = new Map<string, number>()

  violation(text: string): void {
    this.violations.push(text)
  }

  type(typed: Typed): void {
    this.typed.push(typed)
    for (const file of typed.files) this.files.set(file.name, { file, typed })
  }

  refuseFile(name: string): void {
    if (!this.mayRefuseFiles()) this.violation(`no room for ${name} on a disk that has room`)
    this.refusedFiles.add(name)
  }

  /** The engine sends it under another nonce, after what was typed meanwhile. */
  retype(typed: Typed, nonce: string): void {
    this.typed.splice(this.typed.indexOf(typed), 1)
    typed.nonce = nonce
    this.typed.push(typed)
  }

  /** An uploaded file must be the chosen one, and the same in every answer. */
  acknowledgeUpload(name: string, attachment: Attachment): void {
    const known = this.files.get(name)
    if (known === undefined || !isFile(known.file, attachment)) {
      this.violation(`uploaded ${name}, and answered with another file: ${JSON.stringify(attachment)}`)
    }
    const before = this.uploaded.get(name)
    if (before === undefined) this.uploaded.set(name, attachment)
    else if (!isDeepStrictEqual(before, attachment) && !this.refusedFiles.has(name)) {
      this.violation(`one file, two uploads: ${JSON.stringify([before, attachment])}`)
    }
  }

  /** `reached` resolves at the next answer to an upload; its sender gets that answer after `release`. */
  holdUpload(): { reached: Promise<void>; release: () => void } {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    this.#uploadHold = { reach: reached.resolve, released: released.promise }
    return { reached: reached.promise, release: released.resolve }
  }

  async waitWhileHeld(): Promise<void> {
    const hold = this.#uploadHold
    this.#uploadHold = null
    hold?.reach()
    await hold?.released
  }

  /** How many files were uploaded, and their messages not acknowledged. */
  get waitingUploads(): number {
    return [...this.uploaded.keys()].filter((name) => {
      const typed = this.files.get(name)?.typed
      return typed && !typed.wasDiscarded && !this.acknowledged.has(typed.nonce)
    }).length
  }

  /** An acknowledged message must be the typed one, and the same in every acknowledgement. */
  acknowledge(typed: Typed, message: Message): void {
    for (const key of ['clientId', 'senderId', 'nonce', 'message'] as const) {
      if (key === 'message' && message.edit !== undefined) continue
      if (typed[key] !== message[key]) {
        this.violation(`acknowledged another ${key}: ${JSON.stringify({ typed, message })}`)
      }
    }
    if (!areFiles(typed.files, message.attachments)) {
      const names = typed.files.map(({ name }) => name)
      this.violation(`acknowledged without exactly the files ${names}: ${JSON.stringify(message)}`)
    }
    const before = this.acknowledged.get(typed.nonce)
    if (before === undefined) this.acknowledged.set(typed.nonce, message)
    else if (!isSame(before, message)) {
      this.violation(`one nonce, two messages: ${JSON.stringify([before, message])}`)
    }
  }

  /** A change is sent at most twice. */
  mayResolve(clientId: string): void {
    this.resolves.set(clientId, (this.resolves.get(clientId) ?? 0) + 2)
  }

  /** The answers to a note and to its repetitions must be the same. */
  acknowledgeNote(nonce: string, note: Activity): void {
    const before = this.acknowledgedNotes.get(nonce)
    if (before === undefined) this.acknowledgedNotes.set(nonce, note)
    else if (!isDeepStrictEqual(before, note)) {
      this.violation(`one nonce, two notes: ${JSON.stringify([before, note])}`)
    }
  }

  sawEpoch(clientId: string, epoch: string): void {
    const known = this.#epochs.get(clientId)
    if (known === undefined) this.#epochs.set(clientId, epoch)
    else if (known !== epoch) this.violation(`the epoch of a conversation changed from ${known} to ${epoch}`)
  }

  /** The server said that this side's mark is at `seq`. */
  marked(clientId: string, side: Side, seq: number): void {
    const key = `${clientId} ${side}`
    this.#marks.set(key, Math.max(seq, this.#marks.get(key) ?? 0))
  }

  highestMark(clientId: string, side: Side): number {
    return this.#marks.get(`${clientId} ${side}`) ?? 0
  }
}

/** Whether both are the same message. A correction between them changes its words. */
export function isSame(a: Message, b: Message): boolean {
  return (
    a._id === b._id &&
    a.clientId === b.clientId &&
    a.senderId === b.senderId &&
    (a.message === b.message || a.edit !== b.edit) &&
    a.createdAt === b.createdAt &&
    a.seq === b.seq &&
    a.epoch === b.epoch &&
    a.nonce === b.nonce &&
    isDeepStrictEqual(a.attachments, b.attachments)
  )
}
