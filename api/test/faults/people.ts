// The fault tests and the benchmark import the browser's chat engine, so that they drive what ships. api/src may not.
// Their types need the DOM: web/tsconfig.e2e.json checks them.
import { setTimeout as pause } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError, type ErrorCode } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { ConversationSummary, Message, PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { ConversationChange, PostedNote, Then } from '@proctorpass/shared/schemas/inbox'
import type { PostedScheduled } from '@proctorpass/shared/schemas/scheduled'
import { type AdminChat, createAdminChat } from '../../../web/src/chat/engine/admin-chat.ts'
import type { OpenAttachments } from '../../../web/src/chat/engine/attachments.ts'
import { createVisitorChat, type VisitorChat } from '../../../web/src/chat/engine/chat.ts'
import {
  type AttachmentRequests,
  createConversationAttachments,
  type DeviceStore,
} from '../../../web/src/chat/engine/conversation-attachments.ts'
import type { Request } from '../../../web/src/chat/engine/requests.ts'
import type { Tab } from '../../../web/src/chat/engine/tab.ts'
import { attachmentRequestsOf } from '../../../web/src/chat/engine/testing/attachments.ts'
import { Browser, type TestTab } from '../../../web/src/chat/engine/testing/browser.ts'
import { restOf } from '../../../web/src/chat/engine/testing/people.ts'
import { ensureVisitor, type Visitor as Identity } from '../../../web/src/chat/engine/visitor.ts'
import { newId, signInAsAdmin, signInWhenReady } from '../chat-client.ts'
import { type FileKind, makeFile, type TypedFile } from './files.ts'
import { isSame, type Ledger, type Typed } from './ledger.ts'
import type { BadNetwork } from './network-faults.ts'
import type { Random } from './random.ts'
import type { SentLater } from './scheduled.ts'
import { View } from './view.ts'

const POLL_MS = 400
const LIST_EVERY_MS = 1_000
/** Some snoozes end during the test, the others after it, also on a node whose clock is wrong. */
const DAY_MS = 24 * 3_600_000
const SNOOZES_MS = [8_000, 30 * DAY_MS]
/** Conversations that an admin has open at a time. */
const OPEN_MAX = 3

interface PersonOptions {
  browser: string
  network: BadNetwork
  /** One source of decisions for each purpose: how often the network failed must not change what is typed. */
  randomFor: (purpose: string) => Random
  ledger: Ledger
  /** Where sockets connect to: a proxy that refuses them makes a person poll. */
  socketOrigin: string
  /** The factor by which they act more slowly than people with a fast store. */
  slowness: number
  /** The kinds of files that they send. */
  fileKinds: readonly FileKind[]
}

/** One life of a page. `unload` ends it as a browser does: requests go unanswered and nothing is stored any more. */
class Page {
  readonly tab: Tab
  readonly #window: TestTab
  readonly #unloaded = Promise.withResolvers<never>()
  #isOpen = true

  constructor(browser: Browser) {
    this.#window = browser.open()
    const { storage } = this.#window
    if (storage === null) throw new Error('the browser has no storage')
    this.tab = {
      ...this.#window,
      storage: {
        get length() {
          return storage.length
        },
        key: (index) => storage.key(index),
        getItem: (key) => storage.getItem(key),
        setItem: (key, value) => this.#isOpen && storage.setItem(key, value),
        removeItem: (key) => this.#isOpen && storage.removeItem(key),
      },
    }
    this.#unloaded.promise.catch(() => {})
  }

  /** Pending requests go on when the page is unloaded, as a request with `keepalive` does. */
  ask<T>(request: () => Promise<T>): Promise<T> {
    return Promise.race(this.#isOpen ? [request(), this.#unloaded.promise] : [this.#unloaded.promise])
  }

  /** The device's files as this page sees them. */
  files({ put, get, remove }: DeviceStore): DeviceStore {
    return {
      put: (nonce, bytes) => this.ask(() => put(nonce, bytes)),
      get: (nonce) => this.ask(() => get(nonce)),
      remove: (nonces) => this.ask(() => remove(nonces)),
    }
  }

  goOffline(): void {
    this.#window.goOffline()
  }

  goOnline(): void {
    this.#window.goOnline()
  }

  unload(): void {
    this.#isOpen = false
    this.#window.close()
    this.#unloaded.reject(new AppError('unavailable', 'The page is gone.'))
  }
}

export abstract class Person {
  readonly browser: string
  readonly ledger: Ledger
  protected readonly acts: Random
  protected readonly random: Random
  protected readonly options: PersonOptions
  protected page: Page
  protected hasStopped = false
  protected readonly device: Browser
  #isWriting = false
  #acting: Promise<void> = Promise.resolve()
  #typed = 0
  #files = 0
  #requests = 0

  constructor(options: PersonOptions, device = new Browser()) {
    this.options = options
    this.device = device
    this.page = new Page(device)
    this.browser = options.browser
    this.ledger = options.ledger
    this.acts = options.randomFor('acts')
    this.random = options.randomFor('network')
  }

  abstract readonly views: Iterable<View>
  /** Opens every known conversation, so that all is shown. */
  abstract openAll(): void
  /** One thing that a person does. */
  protected abstract act(): void | Promise<void>
  protected abstract openPage(): void | Promise<void>
  protected abstract closePage(): void
  /** The REST of the product without the faults that `request` adds. */
  protected abstract call: Request

  start(): void {
    this.write(true)
    void this.#live()
  }

  write(isWriting: boolean): void {
    this.#isWriting = isWriting
  }

  /** Writes no more. Resolves when the act under way has ended: it may type a message. */
  async endWriting(): Promise<void> {
    this.write(false)
    await this.#acting
  }

  /** The network is back. */
  wake(): void {
    this.page.goOnline()
  }

  /** Resolves when none of their requests is under way. */
  async stop(): Promise<void> {
    this.hasStopped = true
    for (const view of this.views) view.detach()
    this.page.unload()
    this.closePage()
    while (this.#requests > 0) await pause(10)
  }

  protected get config() {
    const { socketOrigin, network, slowness } = this.options
    const transport = socketOrigin === network.origin ? 'push' : 'polling'
    return { transport, pollMs: POLL_MS * slowness, unreadPollMs: LIST_EVERY_MS * slowness } as const
  }

  /** For the engine: some messages go twice, and a page that was unloaded gets no answer. */
  protected requestOf(page: Page): Request {
    return (path, options) => page.ask(() => this.#sendForEngine(path, options))
  }

  async #sendForEngine<T>(path: string, options?: Parameters<Request>[1]): Promise<T> {
    const isMessage = path === paths.chat && options?.method === 'POST'
    if (isMessage) this.ledger.counts.restSends += 1
    if (!isMessage || !this.random.chance(0.1)) return this.send<T>(path, options)
    this.ledger.counts.doubled += 1
    const answers = await Promise.allSettled([this.send<T>(path, options), this.send<T>(path, options)])
    const [one, other] = answers.filter((answer) => answer.status === 'fulfilled')
    if (one === undefined) throw (answers[0] as PromiseRejectedResult).reason
    const messages = [one, other ?? one].map(({ value }) => (value as PostedMessage).data) as Parameters<
      typeof isSame
    >
    if (!isSame(...messages)) this.ledger.violation(`one nonce, two messages: ${JSON.stringify(messages)}`)
    return one.value
  }

  protected openAttachmentsOf(page: Page): OpenAttachments {
    return async (party) =>
      createConversationAttachments(party, page.files(this.device.files), {
        upload: (...call) => page.ask(() => this.#uploadOnceOrMore(...call)),
        download: (...call) => page.ask(() => this.files.download(...call)),
      })
  }

  /** The answers that the network drops are asked for again by the engine. Some more repeats, at once and later. */
  async #uploadOnceOrMore(...call: Parameters<AttachmentRequests['upload']>) {
    const [path, form, { signal }] = call
    if (this.random.chance(0.1)) {
      this.ledger.counts.doubled += 1
      this.#upload(...call).catch(() => {})
    }
    const answer = await this.#upload(...call)
    await this.ledger.waitWhileHeld()
    if (this.random.chance(0.05)) {
      this.ledger.counts.late += 1
      const again = () => this.#upload(path, form, { signal, onProgress() {} }).catch(() => {})
      setTimeout(() => this.hasStopped || again(), this.random.integer(100, 3_000))
    }
    return answer
  }

  async #upload(...call: Parameters<AttachmentRequests['upload']>) {
    this.ledger.counts.uploads += 1
    const [path, form] = call
    const { name } = form.get('file') as File
    const upload = () => this.files.upload(...call)
    const answer = await this.attempt(path, upload, ['storage-full']).catch((error) => {
      if (error.code === 'storage-full') this.ledger.refuseFile(name)
      throw error
    })
    this.ledger.acknowledgeUpload(name, answer.data)
    return answer
  }

  /** The files of the product's REST, with the person's credential. */
  protected abstract files: AttachmentRequests

  protected send<T>(
    path: string,
    options?: Parameters<Request>[1],
    refusals?: readonly ErrorCode[],
  ): Promise<T> {
    return this.attempt(path, () => this.call<T>(path, options), refusals)
  }

  /** Nothing that is asked here deserves an error besides `refusals`, but the server or the network may be down. */
  protected async attempt<T>(
    path: string,
    call: () => Promise<T>,
    refusals: readonly ErrorCode[] = [],
  ): Promise<T> {
    this.#requests += 1
    try {
      return await call()
    } catch (error) {
      const known = error instanceof AppError ? error : new AppError('unavailable', 'Half an answer.')
      if (known.code === 'unavailable') this.ledger.counts.unanswered += 1
      else if (!refusals.includes(known.code))
        this.ledger.violation(`${this.browser}: ${path} was answered with ${known.code}: ${known.message}`)
      throw known
    } finally {
      this.#requests -= 1
    }
  }

  /** Every answer, and every error. */
  protected sendOnceOrTwice<T>(...sent: Parameters<Person['send']>): Promise<PromiseSettledResult<T>[]> {
    const times = this.random.chance(0.2) ? 2 : 1
    return Promise.allSettled(Array.from({ length: times }, () => this.send<T>(...sent)))
  }

  protected async type(view: View): Promise<void> {
    const hasFiles = this.acts.chance(0.1) && view.hasRoomForFiles && this.options.fileKinds.length > 0
    const files = hasFiles ? await this.#chooseFiles() : []
    const words = `${this.browser} ${++this.#typed} ${sentence(this.acts)}`
    const isWordless = files.length > 0 && this.acts.chance(0.3)
    if (view.isBusy) return
    const isNext = view.pending === 0
    const then = this.chooseStatus()
    if (then !== undefined) this.ledger.counts.withStatus += 1
    const typed = await view.type(isWordless ? '' : words, files, then)
    if (typed === null || !isNext || files.length > 0 || !this.acts.chance(0.1)) return
    // Beside what the engine sends. Only what is next may go, else it would overtake what was typed before.
    this.ledger.counts.doubled += 1
    void this.#sendAgain(typed)
  }

  #chooseFiles(): Promise<TypedFile[]> {
    return Promise.all(
      Array.from({ length: this.acts.integer(1, 2) }, () =>
        makeFile(`${this.browser} file ${++this.#files}`, this.acts.pick(this.options.fileKinds)),
      ),
    )
  }

  protected readonly kept = (nonce: string) => this.device.files.entries.has(nonce)

  /** Some messages come a second time, long after the first. */
  protected readonly onStored = (typed: Typed, { attachments }: Message): void => {
    if (!this.random.chance(0.05)) return
    this.ledger.counts.late += 1
    const ids = attachments?.map(({ _id }) => _id)
    setTimeout(() => void this.#sendAgain(typed, ids), this.random.integer(100, 3_000))
  }

  async #sendAgain(typed: Typed, attachments?: string[]): Promise<void> {
    if (this.hasStopped) return
    const { nonce, message, clientId, senderId, then } = typed
    const body = { nonce, message, clientId, senderId, then, ...(attachments && { attachments }) }
    const key = this.visitorKey === null ? {} : { visitorKey: this.visitorKey }
    const signal = AbortSignal.timeout(15_000)
    const options = { method: 'POST', body, signal, ...key }
    const answer = await this.send<PostedMessage>(paths.chat, options).catch(() => null)
    if (answer !== null) this.ledger.acknowledge(typed, answer.data)
  }

  protected abstract readonly visitorKey: string | null

  /** The status that the next message gives its conversation. Visitors give none. */
  protected chooseStatus(): Then | undefined {
    return undefined
  }

  protected async reload(): Promise<void> {
    this.ledger.counts.reloads += 1
    for (const view of this.views) view.detach()
    this.page.unload()
    this.closePage()
    this.page = new Page(this.device)
    await this.openPage()
  }

  protected async goOfflineForAMoment(): Promise<void> {
    this.page.goOffline()
    await pause(this.acts.integer(100, 1_000))
    this.page.goOnline()
  }

  async #live(): Promise<void> {
    while (!this.hasStopped) {
      await pause(this.acts.integer(50, 500) * this.options.slowness)
      if (!this.#isWriting) continue
      for (const view of this.views) view.resendRefused()
      this.#acting = Promise.resolve(this.act())
      await this.#acting
    }
  }
}

const fulfilled = <T>(answers: PromiseSettledResult<T>[]) =>
  answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))

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

function sentence(random: Random): string {
  return Array.from({ length: random.integer(1, 12) }, () => random.pick(WORDS)).join(' ')
}

export class Visitor extends Person {
  readonly view: View
  readonly #identity: Identity
  #chat: VisitorChat

  static async open(options: PersonOptions): Promise<Visitor> {
    const device = new Browser()
    return new Visitor(options, device, await ensureVisitor(new Page(device).tab))
  }

  private constructor(options: PersonOptions, device: Browser, identity: Identity) {
    super(options, device)
    this.#identity = identity
    const { clientId } = identity
    const { browser, ledger, onStored, kept } = this
    this.view = new View({ clientId, side: 'visitor', senderId: clientId, browser, ledger, onStored, kept })
    this.#chat = this.#openChat(identity)
  }

  get views(): View[] {
    return [this.view]
  }

  openAll(): void {}

  protected get visitorKey() {
    return this.#identity.key
  }

  protected readonly call: Request = (path, options) =>
    restOf(this.options.network.origin).request(path, options)

  protected get files(): AttachmentRequests {
    return this.filesAt(this.options.network.origin)
  }

  /** The files that this visitor may see, from that server. */
  filesAt(origin: string): AttachmentRequests {
    const { key } = this.#identity
    return attachmentRequestsOf(origin, key === null ? undefined : `Visitor ${key}`)
  }

  #openChat(visitor: Identity): VisitorChat {
    const { config, page, options } = this
    const chat = createVisitorChat({
      config,
      visitor,
      request: this.requestOf(page),
      openAttachments: this.openAttachmentsOf(page),
      tab: page.tab,
      origin: options.socketOrigin,
    })
    chat.onRefused(() => this.ledger.violation(`${this.browser} was refused their own conversation`))
    this.view.attach(chat.conversation)
    chat.start()
    return chat
  }

  protected async openPage(): Promise<void> {
    const identity = await ensureVisitor(this.page.tab)
    if (identity.clientId !== this.#identity.clientId || identity.key !== this.#identity.key) {
      this.ledger.violation(`${this.browser} is another visitor after a reload`)
    }
    this.#chat = this.#openChat(identity)
  }

  protected closePage(): void {
    this.#chat.stop()
  }

  protected act(): void | Promise<void> {
    const roll = this.acts.next()
    if (this.view.conversation.getState().ask === 'rating' && roll < 0.5) return this.#rate()
    if (roll < 0.75) return this.type(this.view)
    if (roll < 0.85) this.view.markSeen()
    else if (roll < 0.89) this.#chat.conversation.setTyping(true)
    else if (roll < 0.93) void this.#actAsStranger()
    else if (roll < 0.95) return this.reload()
    else if (roll < 0.96) return this.goOfflineForAMoment()
  }

  /** Until it is answered. The conversation may be reopened, or rated by the repeat, meanwhile. */
  async #rate(): Promise<void> {
    const { clientId, key } = this.#identity
    const rating = { score: this.acts.integer(1, 5), words: `${newId()} ${sentence(this.acts)}` }
    const path = paths.conversationRating(clientId)
    const options = { method: 'POST', body: rating, ...(key === null ? {} : { visitorKey: key }) }
    this.ledger.ratings.set(rating.words, { clientId, score: rating.score, isStored: false })
    while (!this.hasStopped) {
      const answers = await this.sendOnceOrTwice<unknown>(path, options, ['conflict'])
      if (fulfilled(answers).length > 0) {
        this.ledger.ratings.set(rating.words, { clientId, score: rating.score, isStored: true })
      }
      if (answers.some((each) => each.status === 'fulfilled' || each.reason.code === 'conflict')) return
      await pause(this.acts.integer(200, 1_000))
    }
  }

  /** The stored messages came with the key: from then on the clientId alone opens nothing. */
  async #actAsStranger(): Promise<void> {
    if (this.view.messages.length === 0) return
    const { clientId } = this.#identity
    const { request } = restOf(this.options.network.origin)
    const message = 'from a stranger'
    const results = await Promise.allSettled([
      request(paths.conversation(clientId)),
      request(paths.chat, { method: 'POST', body: { clientId, senderId: clientId, message } }),
    ])
    for (const result of results) {
      if (result.status === 'fulfilled')
        this.ledger.violation('a stranger got into a conversation with a key')
      else if (result.reason.code === 'internal') this.ledger.violation('a stranger got an internal error')
    }
  }
}

export class Admin extends Person {
  readonly #views = new Map<string, View>()
  /** As the list showed them last. */
  readonly #versions = new Map<string, number>()
  readonly #open: View[] = []
  readonly #origin: string
  readonly #userId: string
  #token: string
  #chat: AdminChat

  /** `origin` is the server's own, because this test is not about signing in. */
  static async signIn(options: PersonOptions, origin: string): Promise<Admin> {
    const { accessToken, user_Id } = await signInWhenReady(origin)
    return new Admin(options, origin, user_Id, accessToken)
  }

  private constructor(options: PersonOptions, origin: string, userId: string, token: string) {
    super(options)
    this.#origin = origin
    this.#userId = userId
    this.#token = token
    this.#chat = this.#openChat()
    void this.#readLists()
  }

  get views(): Iterable<View> {
    return this.#views.values()
  }

  protected readonly visitorKey = null

  openAll(): void {
    for (const view of this.views) view.conversation.start()
  }

  protected readonly call: Request = <T>(path: string, options?: Parameters<Request>[1]) =>
    this.#signedIn(() => restOf(this.options.network.origin, this.#token).request<T>(path, options))

  protected readonly files: AttachmentRequests = {
    upload: (...call) => this.#signedIn(() => this.#files().upload(...call)),
    download: (...call) => this.#signedIn(() => this.#files().download(...call)),
  }

  #files(): AttachmentRequests {
    return attachmentRequestsOf(this.options.network.origin, `Bearer ${this.#token}`)
  }

  async #signedIn<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      // As in web/src/lib/session.ts: the API refuses an expired token with 403.
      if (!(error instanceof AppError) || error.status !== 403) throw error
      await this.#signInAgain()
      return await call()
    }
  }

  async #signInAgain(): Promise<void> {
    this.#token = (
      await signInAsAdmin(this.#origin).catch((cause) => {
        throw new AppError('unavailable', 'Signing in failed.', { cause })
      })
    ).accessToken
  }

  #openChat(): AdminChat {
    const { config, page, options } = this
    const chat = createAdminChat({
      config,
      userId: this.#userId,
      request: this.requestOf(page),
      openAttachments: this.openAttachmentsOf(page),
      tab: page.tab,
      origin: options.socketOrigin,
      getToken: async (fresh) => {
        if (fresh) await this.#signInAgain()
        return this.#token
      },
    })
    for (const view of this.views) view.attach(chat.conversation(view.clientId))
    chat.start()
    return chat
  }

  protected openPage(): void {
    this.#open.length = 0
    this.#chat = this.#openChat()
  }

  protected closePage(): void {
    this.#chat.stop()
  }

  /** The list of the dashboard, from which an admin opens conversations. */
  async #readLists(): Promise<void> {
    while (!this.hasStopped) {
      const list = await this.send<ConversationSummary[]>(paths.chat).catch(() => null)
      // An answer that comes after the end would open a conversation that nothing reads.
      if (Array.isArray(list) && !this.hasStopped) {
        for (const { clientId, version } of list) {
          this.#versions.set(clientId, version)
          this.#know(clientId)
        }
      }
      await pause(this.config.unreadPollMs)
    }
  }

  #know(clientId: string): void {
    if (this.#views.has(clientId) || this.ledger.apart.has(clientId)) return
    const { browser, ledger, onStored, kept } = this
    const senderId = this.#userId
    const view = new View({ clientId, side: 'admin', senderId, browser, ledger, onStored, kept })
    this.#views.set(clientId, view)
    view.attach(this.#chat.conversation(clientId))
  }

  protected async act(): Promise<void> {
    const known = [...this.#views.values()]
    if (known.length === 0) return
    if (this.#open.length < OPEN_MAX || this.acts.chance(0.2)) this.#openView(this.acts.pick(known))
    for (let i = 0; i < 4; i++) {
      const view = this.acts.pick(this.#open)
      const roll = this.acts.next()
      if (roll < 0.6) await this.type(view)
      else if (roll < 0.8) view.markSeen()
      else if (roll < 0.85) view.conversation.setTyping(true)
      else if (roll < 0.95) view.resolveHeld(() => this.acts.chance(0.8))
      // Marks as read what it returns.
      else this.send(adminPaths.adminConversation(view.clientId)).catch(() => {})
    }
    if (this.acts.chance(0.7)) void this.#change(this.acts.pick(known).clientId)
    if (this.acts.chance(0.7)) void this.#edit(this.acts.pick(this.#open))
    if (this.acts.chance(0.2)) void this.#addNote(this.acts.pick(known).clientId)
    if (this.acts.chance(0.4)) {
      this.ledger.scheduling += 1
      void this.#sendLater(this.acts.pick(known).clientId).finally(() => {
        this.ledger.scheduling -= 1
      })
    }
    if (this.acts.chance(0.02)) await this.reload()
  }

  /** Snoozes end at different times, long after the test. */
  protected override chooseStatus(): Then | undefined {
    if (!this.acts.chance(0.3)) return undefined
    if (this.acts.chance(0.5)) return { status: 'resolved' }
    const snoozedUntil = new Date(Date.now() + DAY_MS + this.acts.integer(0, DAY_MS)).toISOString()
    return { status: 'snoozed', snoozedUntil }
  }

  /** One kind at a time, so that each version has one entry. Half name the version that the list showed last. */
  async #change(clientId: string): Promise<void> {
    const change = this.acts.pick<() => ConversationChange>([
      () => ({ status: 'resolved' }),
      () => ({ status: 'open' }),
      () => ({
        status: 'snoozed',
        snoozedUntil: new Date(Date.now() + this.acts.pick(SNOOZES_MS)).toISOString(),
      }),
      () => ({ assigneeId: this.#userId }),
      () => ({ assigneeId: null }),
      () => ({ labels: [this.acts.pick(WORDS), this.acts.pick(WORDS)] }),
    ])()
    const version = this.acts.chance(0.5) ? this.#versions.get(clientId) : undefined
    const options = { method: 'PATCH', body: { ...change, version } } as const
    const refusals = [
      'conflict',
      ...(change.status === 'snoozed' ? (['invalid-input'] as const) : []),
    ] as const
    this.ledger.counts.changes += 1
    if (change.status === 'resolved') this.ledger.mayResolve(clientId)
    const path = adminPaths.adminConversation(clientId)
    for (const answer of await this.sendOnceOrTwice<ConversationSummary>(path, options, refusals)) {
      const sent = { clientId, change, version, by: this.#userId }
      if (answer.status === 'fulfilled') this.ledger.changes.push({ ...sent, answer: answer.value })
      else if (answer.reason.code === 'conflict') this.ledger.changes.push({ ...sent, answer: 'stale' })
    }
  }

  /** Corrects the newest message, if it is this admin's, as the message box does: until it is answered. */
  async #edit(view: View): Promise<void> {
    const { clientId } = view
    const newest = view.messages.at(-1)
    if (newest?.senderId !== this.#userId || !this.ledger.typed.some(({ nonce }) => nonce === newest.nonce))
      return
    const nonce = newId()
    const message = `edit ${nonce} ${sentence(this.acts)}`
    const edit = { clientId, nonce: newest.nonce, isStored: false }
    this.ledger.edits.set(message, edit)
    const options = { method: 'PATCH', body: { nonce, message, epoch: newest.epoch } } as const
    while (!this.hasStopped) {
      const path = adminPaths.message(clientId, newest.seq)
      const answers = await this.sendOnceOrTwice<PostedMessage>(path, options, ['conflict'])
      edit.isStored ||= fulfilled(answers).length > 0
      if (
        edit.isStored ||
        answers.some((each) => each.status === 'rejected' && each.reason.code === 'conflict')
      )
        return
      await pause(this.acts.integer(200, 1_000))
    }
  }

  /** Sends a note, as the message box does: until it is answered. */
  async #addNote(clientId: string): Promise<void> {
    const nonce = newId()
    const text = `note ${nonce} ${sentence(this.acts)}`
    this.ledger.notes.set(nonce, text)
    const assigneeId = this.acts.chance(0.3) ? this.#userId : undefined
    if (assigneeId !== undefined) this.ledger.handovers.set(text, assigneeId)
    while (!this.hasStopped) {
      const options = { method: 'POST', body: { nonce, text, assigneeId } }
      const path = adminPaths.conversationNotes(clientId)
      const answers = fulfilled(await this.sendOnceOrTwice<PostedNote>(path, options))
      for (const { data } of answers) this.ledger.acknowledgeNote(nonce, data)
      if (answers.length > 0) return
      await pause(this.acts.integer(200, 1_000))
    }
  }

  /** Schedules a message until it is answered, and then leaves, changes, sends, or cancels it. */
  async #sendLater(clientId: string): Promise<void> {
    const nonce = newId()
    const words = `scheduled ${nonce} ${sentence(this.acts)}`
    const anyway = this.acts.chance(0.5)
    const delayMs = this.acts.integer(500, 5_000)
    const fate = this.acts.next()
    const path = adminPaths.conversationScheduled(clientId)
    const sent: SentLater = {
      ...{ clientId, nonce, by: this.#userId, sendAt: '', anyway, words: [words] },
      ...{ isStored: false, isChanged: false, isCanceled: false, isSent: false },
    }
    while (!this.hasStopped && !sent.isStored) {
      if (sent.sendAt === '') sent.sendAt = this.#freeTime(Date.now() + delayMs)
      this.ledger.scheduled.set(nonce, sent)
      const body = { nonce, message: words, sendAt: sent.sendAt, anyway }
      const options = { method: 'POST', body } as const
      // Ten wait already, or an attempt without an answer was not stored and its time has passed.
      const refusals = ['conflict', 'invalid-input'] as const
      const answers = await this.sendOnceOrTwice<PostedScheduled>(path, options, refusals)
      sent.isStored = fulfilled(answers).length > 0
      const isRefused = answers.some(
        (each) => each.status === 'rejected' && refusals.includes(each.reason.code),
      )
      if (isRefused && !sent.isStored) return
      if (!sent.isStored) await pause(this.acts.integer(200, 1_000))
    }
    if (this.hasStopped) return
    // It may be sent or canceled meanwhile, by its time or by the visitor.
    const refusals = ['conflict', 'not-found', 'invalid-input'] as const
    const one = adminPaths.scheduled(clientId, nonce)
    if (fate < 0.15) {
      sent.isChanged = true
      const message = `${words} changed`
      sent.words.push(message)
      await this.sendOnceOrTwice(one, { method: 'PATCH', body: { message, version: 1 } }, refusals)
    } else if (fate < 0.35) {
      const answers = await this.sendOnceOrTwice(one, { method: 'DELETE' }, refusals)
      sent.isCanceled = fulfilled(answers).length > 0
    } else if (fate < 0.5) {
      const send = adminPaths.scheduledSend(clientId, nonce)
      sent.isChanged = true
      const answers = await this.sendOnceOrTwice(send, { method: 'POST', body: {} }, refusals)
      sent.isSent = fulfilled(answers).length > 0
    }
  }

  /** Returns the time or the next one after it at which no message was scheduled, because a time tells entries apart. */
  #freeTime(at: number): string {
    const iso = new Date(at).toISOString()
    const isTaken = [...this.ledger.scheduled.values()].some(({ sendAt }) => sendAt === iso)
    return isTaken ? this.#freeTime(at + 1) : iso
  }

  #openView(view: View): void {
    if (this.#open.includes(view)) return
    view.conversation.start()
    this.#open.push(view)
    if (this.#open.length > OPEN_MAX) this.#open.shift()?.conversation.stop()
  }
}
