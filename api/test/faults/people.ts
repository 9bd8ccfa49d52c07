import { setTimeout as pause } from 'node:timers/promises'
import type { Ack } from '@proctorpass/shared/events'
import { ACK_TIMEOUT_MS } from '@proctorpass/shared/limits'
import { ADMIN_NAMESPACE, paths, SOCKET_PATH, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { ConversationSummary, Message, Page } from '@proctorpass/shared/schemas/chat'
import { io, type Socket } from 'socket.io-client'
import { API_PREFIX, newId, signInAsAdmin } from '../chat-client.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import type { Relay } from './relay.ts'
import { type Line, Talk } from './talk.ts'

/** Shorter than a browser's, so that a run of seconds sees many of them. */
const HASTY_ACK_TIMEOUT_MS = 800
const POLL_MS = 400
/** While connected, ask all the same every so many polls. */
const POLLS_PER_SYNC = 8

interface PersonOptions {
  browser: string
  relay: Relay
  /** A source of decisions for each purpose: how often the line failed must not change what is typed. */
  randomFor: (purpose: string) => Random
  ledger: Ledger
  /** Never opens a socket, as behind a proxy that lets none through. */
  pollsOnly: boolean
  /** So many times as slow, and as patient, as people are with a fast store. Default 1. */
  slowness?: number
}

type Credentials = { clientId: string; key?: string } | { token: string }

export abstract class Person implements Line {
  abstract readonly side: 'visitor' | 'admin'
  abstract readonly senderId: string
  readonly browser: string
  readonly random: Random
  readonly ledger: Ledger
  protected readonly relay: Relay
  protected readonly acts: Random
  readonly #pollsOnly: boolean
  readonly #slowness: number
  #socket: Socket | null = null
  #transport: Page['transport'] = 'push'
  #stopped = false
  #writing = false
  #ackTimeoutMs: number
  #callsUnderWay = 0

  constructor({ browser, relay, randomFor, ledger, pollsOnly, slowness = 1 }: PersonOptions) {
    this.browser = browser
    this.relay = relay
    this.random = randomFor('line')
    this.acts = randomFor('acts')
    this.ledger = ledger
    this.#pollsOnly = pollsOnly
    this.#slowness = slowness
    this.#ackTimeoutMs = Math.min(ACK_TIMEOUT_MS, HASTY_ACK_TIMEOUT_MS * slowness)
  }

  /** Reads what is new in every conversation of theirs; false when something was not answered. */
  abstract sync(): Promise<boolean>
  /** One thing that a person does. */
  protected abstract act(): void
  protected abstract hear(message: Message): void
  protected abstract get namespace(): string
  protected abstract get credentials(): Credentials
  abstract readonly talks: Iterable<Talk>

  start(): void {
    this.#writing = true
    this.#openSocket()
    this.#live()
    this.#poll()
  }

  /** Types no more; what is in the outbox is still sent, with a browser's patience. */
  stopWriting(): void {
    this.#writing = false
    this.#ackTimeoutMs = ACK_TIMEOUT_MS
  }

  /** Resolves once nothing of theirs is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const talk of this.talks) talk.stop()
    while (this.#callsUnderWay > 0) await pause(10)
    this.#socket?.disconnect()
  }

  get socketIsConnected(): boolean {
    return this.#socket?.connected ?? false
  }

  async bySocket<T>(command: string, input: object): Promise<Ack<T> | null> {
    if (!this.#socket?.connected) return null
    this.#callsUnderWay += 1
    try {
      return (await this.#socket.timeout(this.#ackTimeoutMs).emitWithAck(command, input)) as Ack<T>
    } catch {
      this.ledger.counts.unanswered += 1
      return null
    } finally {
      this.#callsUnderWay -= 1
    }
  }

  async byRest(method: string, path: string, body?: object, credentials: Credentials = this.credentials) {
    const headers: Record<string, string> = {}
    if ('token' in credentials) headers.authorization = `Bearer ${credentials.token}`
    else if (credentials.key !== undefined) headers.authorization = `Visitor ${credentials.key}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    this.#callsUnderWay += 1
    try {
      const answer = await fetch(this.relay.origin + API_PREFIX + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(this.#ackTimeoutMs),
      })
      const result = { status: answer.status, body: (await answer.json()) as unknown }
      if (answer.status === 500) this.ledger.violation(`500 for ${method}: ${JSON.stringify(result.body)}`)
      return result
    } catch {
      this.ledger.counts.unanswered += 1
      return null
    } finally {
      this.#callsUnderWay -= 1
    }
  }

  replaceSocket(): void {
    this.#socket?.disconnect()
    this.#openSocket()
  }

  toldTransport(transport: Page['transport']): void {
    if (this.#transport === 'polling' && transport === 'push') {
      this.#transport = 'push'
      this.replaceSocket()
    }
  }

  #openSocket(): void {
    if (this.#pollsOnly || this.#stopped || this.#transport === 'polling') return
    const socket = io(this.relay.origin + this.namespace, {
      path: SOCKET_PATH,
      transports: ['websocket'],
      auth: (give) => give(this.credentials),
      forceNew: true,
      reconnectionDelay: 50,
      reconnectionDelayMax: 500,
      timeout: this.#ackTimeoutMs,
    })
    this.#socket = socket
    socket.on('connect', () => this.sync())
    socket.on('message:created', (message: Message) => this.hear(message))
    socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
      if (error.data?.code === 'push-disabled') {
        this.#transport = 'polling'
        socket.disconnect()
      } else if (!socket.active) this.#reconnect(socket)
    })
    socket.on('disconnect', () => {
      // By the server's wish: the client does not come back by itself.
      if (!socket.active) this.#reconnect(socket)
    })
  }

  async #reconnect(socket: Socket): Promise<void> {
    await pause(this.random.integer(50, 300))
    if (socket === this.#socket && !this.#stopped && this.#transport === 'push') socket.connect()
  }

  async #live(): Promise<void> {
    while (!this.#stopped) {
      await pause(this.acts.integer(50, 500) * this.#slowness)
      if (this.#writing) this.act()
    }
  }

  async #poll(): Promise<void> {
    for (let turn = 0; !this.#stopped; turn++) {
      await pause(POLL_MS * this.#slowness)
      if (!this.socketIsConnected || turn % POLLS_PER_SYNC === 0) await this.sync()
    }
  }
}

const WORDS = [
  'camera',
  'exam',
  '考试',
  'Thursday',
  'room scan',
  'naïve',
  '👩‍💻',
  'refund',
  '<b>',
  '"quotes"',
  '\\',
  'ID card',
]

function words(random: Random): string {
  return Array.from({ length: random.integer(1, 12) }, () => random.pick(WORDS)).join(' ')
}

export class Visitor extends Person {
  readonly side = 'visitor'
  readonly senderId: string
  readonly talk: Talk
  readonly #key: string
  #typed = 0

  constructor(options: PersonOptions) {
    super(options)
    const random = () => this.acts.next()
    this.senderId = newId(random)
    this.#key = `${newId(random)}-${newId(random)}_x`
    this.talk = new Talk(this, this.senderId)
  }

  get talks(): Talk[] {
    return [this.talk]
  }

  sync(): Promise<boolean> {
    return this.talk.sync()
  }

  protected get namespace(): string {
    return VISITOR_NAMESPACE
  }

  protected get credentials() {
    return { clientId: this.senderId, key: this.#key }
  }

  protected hear(message: Message): void {
    if (message.clientId === this.senderId) this.talk.hear(message)
    else this.ledger.violation("a visitor heard another visitor's message")
  }

  protected act(): void {
    const roll = this.acts.next()
    if (roll < 0.75) this.talk.type(`${this.browser} ${++this.#typed} ${words(this.acts)}`)
    else if (roll < 0.85) this.talk.markRead()
    else if (roll < 0.9) this.bySocket('typing:set', { typing: true })
    else if (roll < 0.95) this.#asStranger()
  }

  /** What is stored came with the key: from then on the clientId alone opens nothing. */
  async #asStranger(): Promise<void> {
    if (this.talk.view.length === 0) return
    const clientId = this.senderId
    const answers = await Promise.all([
      this.byRest('GET', paths.conversation(clientId), undefined, { clientId }),
      this.byRest('POST', paths.chat, { clientId, message: 'from a stranger' }, { clientId }),
    ])
    if (answers.some((answer) => answer !== null && answer.status < 300)) {
      this.ledger.violation('a stranger got into a conversation that has a key')
    }
  }
}

export class Admin extends Person {
  readonly side = 'admin'
  readonly senderId: string
  readonly #talks = new Map<string, Talk>()
  readonly #origin: string
  #token: string
  #typed = 0

  /** `origin` is the server's own: signing in is not what is tested here. */
  static async signIn(options: PersonOptions, origin: string): Promise<Admin> {
    const { accessToken, user_Id } = await signInAsAdmin(origin)
    return new Admin(options, origin, user_Id, accessToken)
  }

  private constructor(options: PersonOptions, origin: string, userId: string, token: string) {
    super(options)
    this.#origin = origin
    this.senderId = userId
    this.#token = token
  }

  get talks(): Iterable<Talk> {
    return this.#talks.values()
  }

  talkWith(clientId: string): Talk {
    let talk = this.#talks.get(clientId)
    if (talk === undefined) {
      talk = new Talk(this, clientId)
      this.#talks.set(clientId, talk)
    }
    return talk
  }

  async sync(): Promise<boolean> {
    const answer = await this.byRest('GET', paths.chat)
    if (answer?.status === 401 || answer?.status === 403) {
      const signedIn = await signInAsAdmin(this.#origin).catch(() => null)
      if (signedIn !== null) this.#token = signedIn.accessToken
    }
    if (answer?.status !== 200) return false
    if (!Array.isArray(answer.body)) return true
    let level = true
    for (const { clientId, lastMessage } of answer.body as ConversationSummary[]) {
      const talk = this.talkWith(clientId)
      if (talk.view.length < lastMessage.seq) level = (await talk.sync()) && level
    }
    // The list says nothing about push and polling; a page does.
    const [first] = this.#talks.values()
    return first === undefined ? level : (await first.sync()) && level
  }

  protected get namespace(): string {
    return ADMIN_NAMESPACE
  }

  protected get credentials() {
    return { token: this.#token }
  }

  protected hear(message: Message): void {
    this.talkWith(message.clientId).hear(message)
  }

  protected act(): void {
    const talks = [...this.#talks.values()]
    if (talks.length === 0) return
    for (let i = 0; i < 4; i++) {
      const talk = this.acts.pick(talks)
      const roll = this.acts.next()
      if (roll < 0.6) talk.type(`${this.browser} ${++this.#typed} ${words(this.acts)}`)
      else if (roll < 0.8) talk.markRead()
      // As opening a conversation does: it marks as read what it returns.
      else if (roll < 0.9) this.byRest('GET', paths.adminConversation(talk.clientId))
    }
  }
}
