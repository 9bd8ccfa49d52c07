// @vitest-environment node
import { AppError } from '@proctorpass/shared/errors'
import type { Message, Page, PageQuery } from '@proctorpass/shared/schemas/chat'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRandom, type Random } from '../../../../api/test/faults/random.ts'
import type { ChatLink } from './link.ts'
import type { ConversationRequests } from './requests.ts'
import { createSync } from './sync.ts'

/** Each seed's steps. Three seeds take 100,000 together, in a few seconds. */
const STEPS = 34_000
const CHECK_EVERY = 400
/** Small pages, so that messages and corrections often take several. */
const PAGE = 4
const EDITS_AT_ONCE = 2

const CLIENT = 'c'
const ADMIN = 'a'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** The store, as the contract of both adapters describes it. */
class Server {
  epoch = 0
  edits = 0
  messages: Message[] = []

  say(senderId: string): Message {
    const seq = this.messages.length + 1
    const id = `${this.epoch} ${seq}`
    const message = {
      ...{ _id: id, nonce: id, clientId: CLIENT, senderId, message: `text ${seq}`, seq },
      ...{ epoch: String(this.epoch), createdAt: '2026-01-01T00:00:00.000Z' },
    }
    this.messages.push(message)
    return message
  }

  /** Corrects the newest message, if an admin wrote it. */
  correct(): Message | null {
    const newest = this.messages.at(-1)
    if (newest?.senderId !== ADMIN) return null
    this.edits += 1
    const edited = { ...newest, message: `words ${this.edits}`, edit: this.edits, editedAt: newest.createdAt }
    this.messages[this.messages.length - 1] = edited
    return edited
  }

  erase(): void {
    this.epoch += 1
    this.edits = 0
    this.messages = []
  }

  page({ after, before = Number.POSITIVE_INFINITY, limit = PAGE, edits }: PageQuery): Page {
    const size = Math.min(limit, PAGE)
    const range = this.messages.filter(({ seq }) => seq > (after ?? 0) && seq < before)
    const messages = after === undefined ? range.slice(-size) : range.slice(0, size)
    const corrected = this.messages.filter(({ edit = 0 }) => edits !== undefined && edit > edits)
    return {
      ...{ messages, seq: this.messages.length, epoch: String(this.epoch), transport: 'push' },
      more: messages.length < range.length || corrected.length > EDITS_AT_ONCE,
      read: { visitor: 0, admin: 0 },
      people: { [ADMIN]: { name: 'Anna' } },
      ...(this.edits > 0 && { edit: this.edits }),
      ...(edits !== undefined && { edits: corrected.slice(0, EDITS_AT_ONCE) }),
    }
  }
}

/** One tab of either side. What is under way to it arrives in any order, or never. */
class Tab {
  readonly side: 'visitor' | 'admin'
  readonly #server: Server
  #waiting: { arrive: () => void; lose?: () => void }[] = []
  #connections = 0
  sync = this.#open()

  constructor(side: 'visitor' | 'admin', server: Server) {
    this.side = side
    this.#server = server
    this.reload()
  }

  #open() {
    const { side } = this
    this.#connections += 1
    const link = {
      connectionId: this.#connections,
      ...{ reportSuccess() {}, reportFailure() {}, onStop() {} },
    }
    return createSync({
      link: link as unknown as ChatLink,
      requests: { sync: (query: PageQuery) => this.#ask(query) } as ConversationRequests,
      ...{ onChange() {}, onShown() {}, onPage() {}, onReset() {}, onSynced() {} },
      wantsNames: side === 'visitor',
    })
  }

  #ask(query: PageQuery): Promise<Page> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(new AppError('unavailable', 'cut'))
      const answer = () => {
        const page = this.#server.page(query)
        this.#waiting.push({ arrive: () => resolve(page), lose })
      }
      this.#waiting.push({ arrive: answer, lose })
    })
  }

  send(arrive: () => void): void {
    this.#waiting.push({ arrive })
  }

  tell(message: Message): void {
    this.send(() => this.sync.addFact(message))
  }

  /** Lets something arrive. Returns whether anything was under way. */
  receive(random: Random): boolean {
    if (this.#waiting.length === 0) return false
    const [next] = this.#waiting.splice(random.integer(0, this.#waiting.length - 1), 1)
    next?.arrive()
    return true
  }

  cut(): void {
    for (const { lose } of this.#waiting.splice(0)) lose?.()
  }

  reload(): void {
    this.cut()
    this.sync = this.#open()
    void this.sync.tryRun()
  }
}

it.each([1, 2, 3])(
  'both sides show the same words after any loss, seed %i',
  { timeout: 600_000 },
  async (seed) => {
    const random = createRandom(seed, 'corrections')
    const server = new Server()
    const tabs = (['visitor', 'admin', 'admin'] as const).map((side) => new Tab(side, server))
    const counts = { edits: 0, cuts: 0, reloads: 0 }
    const tellAll = (message: Message, except?: Tab) => {
      for (const tab of tabs) if (tab !== except && random.chance(0.8)) tab.tell(message)
    }
    /** Resolves once everything has followed that needs no time. */
    async function settled(): Promise<void> {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    }

    function act(): void {
      const tab = random.pick(tabs)
      const roll = random.next()
      if (roll < 0.5) tab.receive(random)
      else if (roll < 0.62) {
        // Nothing is sent before the first page was read.
        if (!tab.sync.timeline.loaded) return
        const message = server.say(tab.side === 'admin' ? ADMIN : CLIENT)
        tellAll(message, tab)
        // The answer to its sender may be late, and have the words from before a correction.
        tab.send(() => {
          if (tab.sync.timeline.loaded) void tab.sync.addStored(message)
        })
      } else if (roll < 0.82) {
        const edited = server.correct()
        if (edited === null) return
        counts.edits += 1
        tellAll(edited)
      } else if (roll < 0.88) void tab.sync.tryRun()
      else if (roll < 0.91) void tab.sync.loadOlder().catch(() => {})
      else if (roll < 0.95) {
        counts.cuts += 1
        tab.cut()
      } else if (roll < 0.98) {
        counts.reloads += 1
        tab.reload()
      } else if (roll < 0.995) vi.advanceTimersByTime(400)
      else if (random.chance(0.3)) {
        server.erase()
        for (const each of tabs) if (random.chance(0.8)) each.send(() => void each.sync.tryRun())
      }
    }

    /** The network is good again: what every tab shows is what the store has. */
    async function expectSame(step: number): Promise<void> {
      for (const tab of tabs) {
        // What was under way comes first, and then a sync.
        for (let turn = 0; turn < 3; turn += 1) {
          if (turn > 0) void tab.sync.tryRun()
          while (tab.receive(random)) await settled()
          vi.advanceTimersByTime(400)
          await settled()
        }
        const { timeline } = tab.sync
        const first = timeline.messages[0]?.seq ?? 1
        expect(timeline.messages, `${tab.side} after ${step} steps`).toEqual(server.messages.slice(first - 1))
        expect(timeline.edit).toBe(server.edits)
      }
    }

    for (let step = 1; step <= STEPS; step += 1) {
      act()
      if (step % 7 === 0) await settled()
      if (step % CHECK_EVERY === 0) await expectSame(step)
    }
    expect(counts.edits).toBeGreaterThan(STEPS / 50)
    expect(counts.cuts).toBeGreaterThan(STEPS / 100)
  },
)
