import { setTimeout as pause } from 'node:timers/promises'
import type { Ack } from '@proctorpass/shared/events'
import { paths } from '@proctorpass/shared/paths'
import type { Marked, Message, Page, PostedMessage } from '@proctorpass/shared/schemas/chat'
import { newId } from '../chat-client.ts'
import { isSame, type Ledger, type Typed } from './ledger.ts'
import type { Random } from './random.ts'

/** How a person reaches the server. Every call answers null when nothing came back in time. */
export interface Line {
  readonly side: 'visitor' | 'admin'
  readonly senderId: string
  readonly browser: string
  readonly random: Random
  readonly ledger: Ledger
  readonly socketIsConnected: boolean
  bySocket<T>(command: string, input: object): Promise<Ack<T> | null>
  byRest(method: string, path: string, body?: object): Promise<{ status: number; body: unknown } | null>
  /** The socket did not answer: drop it and open another. */
  replaceSocket(): void
  /** What a page said about how browsers should talk. */
  toldTransport(transport: Page['transport']): void
}

const GAP_WAIT_MS = 100
const PAGE_LIMIT = 25
/** Nobody types on for ever while nothing is sent; and a slow machine must get through with it. */
const WAITING_MAX = 20
const BACKOFF_MS = { min: 20, max: 250 }

/** One conversation as one browser has it: an outbox and a view, by the delivery rules. */
export class Talk {
  readonly clientId: string
  /** From seq 1 on, without a hole. */
  readonly view: Message[] = []
  readonly #line: Line
  readonly #outbox: Typed[] = []
  readonly #stored: Typed[] = []
  #pumping = false
  #syncing: Promise<boolean> | null = null
  #gap: NodeJS.Timeout | null = null
  #heldFact: Message | null = null
  #stopped = false

  constructor(line: Line, clientId: string) {
    this.#line = line
    this.clientId = clientId
  }

  get waiting(): number {
    return this.#outbox.length
  }

  /** Does nothing when much waits already. */
  type(message: string): void {
    if (this.#outbox.length >= WAITING_MAX) return
    const { senderId, browser, random, ledger } = this.#line
    const typed: Typed = {
      clientId: this.clientId,
      senderId,
      browser,
      nonce: newId(() => random.next()),
      message,
    }
    ledger.typed.push(typed)
    this.#outbox.push(typed)
    this.#pump()
  }

  /** A fact as it arrives, or as a bad network would have it: late, twice or never. */
  hear(message: Message): void {
    const { ledger, random } = this.#line
    ledger.counts.factsHeard += 1
    const held = this.#heldFact
    this.#heldFact = null
    const roll = random.next()
    if (roll < 0.12) ledger.counts.factsDisturbed += 1
    if (roll < 0.06 && held === null) this.#heldFact = message
    else if (roll >= 0.09) this.#take(message)
    if (roll >= 0.09 && roll < 0.12) this.#take(message)
    if (held !== null) this.#take(held)
  }

  /** Asks for everything after the last known message, page by page. False when the server did not answer. */
  sync(): Promise<boolean> {
    this.#syncing ??= this.#readOn().finally(() => {
      this.#syncing = null
    })
    return this.#syncing
  }

  /** Marks as read what is in the view. */
  async markRead(): Promise<void> {
    const { side, ledger, random } = this.#line
    const seq = this.view.length
    const path = side === 'admin' ? paths.adminConversationRead : paths.conversationRead
    let marked: Marked | undefined
    if (this.#line.socketIsConnected && random.chance(0.5)) {
      const answer = await this.#line.bySocket<Marked>('conversation:read', this.#addressed({ seq }))
      if (answer?.ok) marked = answer.data
    } else {
      const answer = await this.#line.byRest('POST', path(this.clientId), { seq })
      if (answer?.status === 200) marked = answer.body as Marked
    }
    if (marked === undefined) return
    ledger.marked(this.clientId, side, marked.seq)
    if (marked.seq < seq) ledger.violation(`a mark at ${seq} was answered with ${marked.seq}`)
  }

  stop(): void {
    this.#stopped = true
    if (this.#gap !== null) clearTimeout(this.#gap)
  }

  /** Only the oldest is under way, until it is acknowledged or plainly refused. */
  async #pump(): Promise<void> {
    if (this.#pumping) return
    this.#pumping = true
    const { ledger, random, side } = this.#line
    let failures = 0
    for (let head = this.#outbox[0]; head !== undefined && !this.#stopped; head = this.#outbox[0]) {
      // An admin's waiting reply is synced first.
      if (side === 'admin' && failures > 0) await this.sync()
      const result = await this.#attempt(head)
      if (result === 'try-again') {
        failures += 1
        await pause(random.integer(BACKOFF_MS.min, BACKOFF_MS.max) * Math.min(failures, 4))
        continue
      }
      failures = 0
      this.#outbox.shift()
      if (result === 'refused') continue
      this.#take(result)
      this.#stored.push(head)
      if (random.chance(0.05)) {
        ledger.counts.late += 1
        await this.#attempt(random.pick(this.#stored))
      }
    }
    this.#pumping = false
  }

  async #attempt(typed: Typed): Promise<Message | 'refused' | 'try-again'> {
    const { random, ledger } = this.#line
    if (this.#line.socketIsConnected && random.chance(0.1)) {
      ledger.counts.doubled += 1
      const results = await Promise.all([this.#sendBySocket(typed), this.#sendByRest(typed)])
      return results.find((result) => typeof result !== 'string') ?? results[1]
    }
    if (this.#line.socketIsConnected) {
      const result = await this.#sendBySocket(typed)
      if (result !== 'try-again') return result
      this.#line.replaceSocket()
    }
    return this.#sendByRest(typed)
  }

  async #sendBySocket(typed: Typed): Promise<Message | 'refused' | 'try-again'> {
    this.#line.ledger.counts.sends += 1
    const { nonce, message } = typed
    const answer = await this.#line.bySocket<Message>('message:send', this.#addressed({ nonce, message }))
    if (answer === null) return 'try-again'
    if (answer.ok) return this.#acknowledged(typed, answer.data)
    return this.#failed(answer.error)
  }

  async #sendByRest(typed: Typed): Promise<Message | 'refused' | 'try-again'> {
    const { ledger } = this.#line
    ledger.counts.sends += 1
    const { nonce, message, clientId, senderId } = typed
    const answer = await this.#line.byRest('POST', paths.chat, { nonce, message, clientId, senderId })
    if (answer === null) return 'try-again'
    if (answer.status === 200) ledger.counts.repeated += 1
    if (answer.status === 200 || answer.status === 201) {
      return this.#acknowledged(typed, (answer.body as PostedMessage).data)
    }
    return this.#failed(answer.body)
  }

  #acknowledged(typed: Typed, message: Message): Message {
    this.#line.ledger.acknowledge(typed, message)
    return message
  }

  /** Nothing that is typed here deserves a refusal. */
  #failed(error: unknown): 'refused' | 'try-again' {
    const { code, retryable } = error as { code?: string; retryable?: boolean }
    if (code === 'internal') this.#line.ledger.violation(`internal error: ${JSON.stringify(error)}`)
    // An expired token is renewed by the line before the next attempt.
    if (retryable !== false || (this.#line.side === 'admin' && code === 'forbidden')) return 'try-again'
    this.#line.ledger.violation(`refused: ${JSON.stringify(error)}`)
    return 'refused'
  }

  async #readOn(): Promise<boolean> {
    for (;;) {
      if (this.#stopped) return false
      const after = this.view.length
      const page = await this.#page(after)
      if (page === null) return false
      this.#line.ledger.counts.syncs += 1
      this.#line.toldTransport(page.transport)
      if (page.epoch !== '') this.#line.ledger.sawEpoch(this.clientId, page.epoch)
      if (page.messages.some((message, index) => message.seq !== after + 1 + index)) {
        this.#line.ledger.violation(
          `a page after ${after} holds ${page.messages.map((message) => message.seq).join(' ')}`,
        )
        return true
      }
      if (page.seq < after)
        this.#line.ledger.violation(`newest is ${page.seq}, but ${after} was shown before`)
      for (const message of page.messages) this.#take(message)
      if (!page.more) return true
    }
  }

  async #page(after: number): Promise<Page | null> {
    const { side, random } = this.#line
    if (this.#line.socketIsConnected && random.chance(0.7)) {
      const input = this.#addressed({ after, limit: PAGE_LIMIT })
      const answer = await this.#line.bySocket<Page>('conversation:sync', input)
      if (answer?.ok) return answer.data
    }
    const path = side === 'admin' ? paths.adminConversation : paths.conversation
    const query = `${path(this.clientId)}?after=${after}&limit=${PAGE_LIMIT}`
    const answer = await this.#line.byRest('GET', query)
    return answer?.status === 200 ? (answer.body as Page) : null
  }

  /** Shows a message if it is the next one; a later one means a hole, an earlier one must be what is shown. */
  #take(message: Message): void {
    const shown = this.view[message.seq - 1]
    if (shown !== undefined) {
      if (!isSame(shown, message)) {
        this.#line.ledger.violation(`two messages under one seq: ${JSON.stringify([shown, message])}`)
      }
    } else if (message.seq === this.view.length + 1) {
      this.view.push(message)
    } else if (!this.#stopped) {
      this.#gap ??= setTimeout(() => {
        this.#gap = null
        this.sync()
      }, GAP_WAIT_MS)
    }
  }

  #addressed(input: object): object {
    return this.#line.side === 'admin' ? { clientId: this.clientId, ...input } : input
  }
}
