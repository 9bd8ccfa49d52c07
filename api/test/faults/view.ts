import type { Side } from '@proctorpass/shared/events'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import type { Conversation } from '../../../web/src/chat/engine/types.ts'
import type { TypedFile } from './files.ts'
import { isSame, type Ledger, type Typed } from './ledger.ts'

/** A person types no more while this many messages wait. */
const PENDING_MAX = 10
/** Files of one person in one conversation: with three admins, fewer than the server allows for all. */
const FILES_MAX = { visitor: 20, admin: 8 }

/** One conversation in one browser, over all reloads of its page: checks at each change what the engine shows. */
export class View {
  readonly clientId: string
  readonly #side: Side
  readonly #senderId: string
  readonly #browser: string
  readonly #ledger: Ledger
  readonly #onStored: (typed: Typed, message: Message) => void
  readonly #kept: (nonce: string) => boolean
  #files = 0
  readonly #shown = new Map<number, Message>()
  readonly #unstored = new Map<string, Typed>()
  /** By the first file: what is sent again under another nonce, because a full disk refused a file. */
  readonly #resent = new Map<string, Typed>()
  #conversation: Conversation | null = null
  #unsubscribe = () => {}
  #checked: readonly Message[] = []
  /** What was in the outbox when the last page was left. */
  #left: string[] = []
  /** What the person has seen on this page. */
  #seen = 0

  constructor(options: {
    clientId: string
    side: Side
    senderId: string
    browser: string
    ledger: Ledger
    onStored: (typed: Typed, message: Message) => void
    /** Whether the device has the bytes of an unsent file. */
    kept: (nonce: string) => boolean
  }) {
    this.clientId = options.clientId
    this.#side = options.side
    this.#senderId = options.senderId
    this.#browser = options.browser
    this.#ledger = options.ledger
    this.#onStored = options.onStored
    this.#kept = options.kept
  }

  /** The conversation of the page that is open now. After a reload the outbox must be what it was. */
  attach(conversation: Conversation): void {
    const before = this.#left
    this.#conversation = conversation
    this.#checked = []
    this.#seen = 0
    const after = this.#pendingNonces()
    if (before.join() !== after.join()) {
      this.#violation(`a reload left ${after.length} messages in the outbox of ${before.length}`)
    }
    this.#ledger.counts.survived += after.length
    for (const { files = [] } of conversation.getState().pending) {
      for (const { nonce, name } of files) {
        if (!this.#kept(nonce)) this.#violation(`a reload left no bytes of ${name}`)
      }
    }
    this.#unsubscribe = conversation.subscribe(() => this.#check())
    this.#check()
  }

  /** The page is left. What its code still does, until it notices, no longer counts. */
  detach(): void {
    this.#left = this.#conversation === null ? [] : this.#pendingNonces()
    this.#unsubscribe()
  }

  get conversation(): Conversation {
    if (this.#conversation === null) throw new Error('no page is open')
    return this.#conversation
  }

  get messages(): readonly Message[] {
    return this.conversation.getState().messages
  }

  get pending(): number {
    return this.conversation.getState().pending.length
  }

  /** Too much waits already. */
  get isBusy(): boolean {
    return this.pending >= PENDING_MAX
  }

  get hasRoomForFiles(): boolean {
    return this.#files + 2 <= FILES_MAX[this.#side]
  }

  /** Answers what was typed. The words are unique, or else empty with files. */
  async type(message: string, files: readonly TypedFile[] = [], then?: Then): Promise<Typed | null> {
    const { conversation } = this
    if (files.length > 0) {
      const device = await conversation.openAttachments()
      for (const { nonce, sent } of files) await device.keep(nonce, sent)
    }
    this.#files += files.length
    conversation.send(
      message,
      files.map(({ nonce, name, type, sent }) => ({ nonce, name, type, bytes: sent.size })),
      then,
    )
    const entry = conversation
      .getState()
      .pending.findLast((each) => each.message === message && each.files?.[0]?.nonce === files[0]?.nonce)
    if (entry === undefined) {
      this.#violation(`typed, and not in the outbox: ${message} with ${files.length} files`)
      return null
    }
    const typed: Typed = {
      clientId: this.clientId,
      senderId: this.#senderId,
      browser: this.#browser,
      nonce: entry.nonce,
      message,
      files,
      then,
      wasHeld: false,
      wasDiscarded: false,
    }
    this.#ledger.type(typed)
    this.#unstored.set(entry.nonce, typed)
    return typed
  }

  /** The person has seen the newest message. */
  markSeen(): void {
    const newest = this.messages.at(-1)?.seq ?? 0
    this.#seen = Math.max(this.#seen, newest)
    if (newest > 0) this.conversation.markSeen(newest)
  }

  /** Decides about each held reply: sends it after all, or discards it. */
  resolveHeld(isWanted: () => boolean): void {
    for (const { nonce, state } of this.conversation.getState().pending) {
      if (state !== 'held') continue
      if (isWanted()) {
        this.#ledger.counts.held += 1
        this.conversation.retry(nonce)
      } else {
        this.#ledger.counts.discarded += 1
        const typed = this.#unstored.get(nonce)
        if (typed) typed.wasDiscarded = true
        this.conversation.discard(nonce)
      }
    }
  }

  /** Sends again whose files a full disk has refused. Others have been sent meanwhile. */
  resendRefused(): void {
    for (const { nonce, state, files: [file] = [] } of this.conversation.getState().pending) {
      const typed = this.#unstored.get(nonce)
      if (state !== 'refused' || file === undefined || typed === undefined) continue
      this.#resent.set(file.nonce, typed)
      this.conversation.retry(nonce)
    }
  }

  /** Whether all `stored` messages are shown with their corrections, and the read mark has arrived. */
  shows(stored: readonly Message[]): boolean {
    const { loaded, hasOlder, messages, read } = this.conversation.getState()
    const isShown = ({ edit = 0 }: Message, place: number) => {
      const shown = messages[place]
      return shown !== undefined && (shown.edit ?? 0) >= edit
    }
    return loaded && !hasOlder && stored.every(isShown) && read[this.#side] >= this.#seen
  }

  /** For the description of a violation. */
  toString(): string {
    const { loaded, hasOlder, messages, pending, read } = this.conversation.getState()
    const waiting = pending.map(({ state, nonce }) => `${state} ${nonce}`)
    return (
      `${this.#browser} in ${this.clientId}: pending [${waiting}], ${messages.length} shown, ` +
      JSON.stringify({ loaded, hasOlder, read, seen: this.#seen })
    )
  }

  #pendingNonces(): string[] {
    const { pending } = this.conversation.getState()
    return pending.map(({ nonce, files = [], then }) =>
      [nonce, ...files.map((file) => file.nonce), then?.status, then?.snoozedUntil].join(' '),
    )
  }

  #check(): void {
    const { messages, pending, read } = this.conversation.getState()
    for (const side of ['visitor', 'admin'] as const) this.#ledger.marked(this.clientId, side, read[side])
    for (const { nonce, state, reason, message, files = [] } of pending) {
      if (files[0] !== undefined) this.#noteResent(files[0].nonce, nonce)
      // Its doubled request may still arrive, after what was typed later.
      const typed = state === 'held' && this.#unstored.get(nonce)
      if (typed) typed.wasHeld = true
      const isFileRefused = files.some(({ name }) => this.#ledger.refusedFiles.has(name))
      if (state === 'refused' && !isFileRefused) this.#violation(`refused (${reason}): ${message}`)
    }
    if (messages === this.#checked) return
    this.#checked = messages
    const nonces = [...messages, ...pending].map(({ nonce }) => nonce)
    if (new Set(nonces).size !== nonces.length) this.#violation('shows one message twice')
    for (const [index, message] of messages.entries()) {
      if (message.seq <= (messages[index - 1]?.seq ?? 0)) this.#violation(`shows seq ${message.seq} too late`)
      this.#show(message)
    }
  }

  #noteResent(file: string, nonce: string): void {
    const typed = this.#resent.get(file)
    if (typed === undefined || typed.nonce === nonce) return
    this.#resent.delete(file)
    this.#unstored.delete(typed.nonce)
    this.#ledger.retype(typed, nonce)
    this.#unstored.set(nonce, typed)
  }

  #show(message: Message): void {
    const shown = this.#shown.get(message.seq)
    if (shown === message) return
    if (message.clientId !== this.clientId) this.#violation(`shows a message of ${message.clientId}`)
    if (shown !== undefined && !isSame(shown, message)) {
      this.#violation(`shows two messages under one seq: ${JSON.stringify([shown, message])}`)
    }
    this.#shown.set(message.seq, message)
    this.#ledger.sawEpoch(this.clientId, message.epoch)
    const typed = this.#unstored.get(message.nonce)
    if (typed === undefined) return
    this.#unstored.delete(message.nonce)
    this.#ledger.acknowledge(typed, message)
    this.#onStored(typed, message)
  }

  #violation(text: string): void {
    this.#ledger.violation(`${this.#browser} ${text}`)
  }
}
