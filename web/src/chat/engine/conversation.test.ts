// @vitest-environment node
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { GAP_WAIT_MS, TYPING_TTL_MS } from '@proctorpass/shared/limits'
import type { Message, Page, PageQuery } from '@proctorpass/shared/schemas/chat'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConversation } from './conversation.ts'
import { createLink } from './link.ts'
import type { Wire } from './requests.ts'
import { Browser, type TestTab } from './testing/browser.ts'

const CLIENT = 'abcdefghijklmnopqrst'
const ADMIN = '0123456789abcdef01234567'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server of one conversation, for what the real one does not do on demand. */
function createServer() {
  let messages: Message[] = []
  let epoch = ''
  const read = { visitor: 0, admin: 0 }
  const asked: PageQuery[] = []
  const marked: number[] = []
  const typed: boolean[] = []
  const refusals: AppError[] = []
  const sent: { nonce: string; epoch: string }[] = []

  function store(senderId: string, message: string, nonce = `nonce-${epoch}-${messages.length}`): Message {
    epoch ||= 'e1'
    const seq = (messages.at(-1)?.seq ?? 0) + 1
    const createdAt = '2026-01-01T00:00:00.000Z'
    const stored = {
      _id: `${epoch}${seq}`,
      clientId: CLIENT,
      senderId,
      message,
      createdAt,
      seq,
      epoch,
      nonce,
    }
    messages.push(stored)
    return stored
  }

  const wireOf = (senderId: string): Wire => ({
    async sync(query) {
      asked.push(query)
      const { after = 0 } = query
      const page: Page = {
        messages: messages.filter(({ seq }) => seq > after),
        seq: messages.at(-1)?.seq ?? 0,
        epoch,
        more: false,
        read,
        transport: 'polling',
      }
      return structuredClone(page)
    },
    async send({ nonce, message, epoch: known }) {
      sent.push({ nonce, epoch: known })
      const refusal = refusals.shift()
      if (refusal) throw refusal
      if (known !== '' && known !== epoch) throw new AppError('stale-epoch', 'started anew')
      return messages.find((stored) => stored.nonce === nonce) ?? store(senderId, message, nonce)
    },
    async erase() {
      messages = []
      epoch = 'e2'
    },
    async read(seq) {
      marked.push(seq)
      const refusal = refusals.shift()
      if (refusal) throw refusal
      return { seq, adminUnread: 0 }
    },
    typing(typing) {
      typed.push(typing)
      return true
    },
  })

  return {
    asked,
    marked,
    typed,
    refusals,
    sent,
    store,
    wireOf,
    erase() {
      messages = []
      epoch = 'e2'
    },
  }
}

function join(server: ReturnType<typeof createServer>, side: Side, tab: TestTab = new Browser().open()) {
  const senderId = side === 'admin' ? ADMIN : CLIENT
  const link = createLink({
    tab,
    config: { transport: 'polling', pollMs: 60_000, unreadPollMs: 60_000 },
    push: { origin: '', namespace: '/', auth: async () => ({}), onFact: () => {} },
    probe: async () => 'polling',
    onResync: () => {},
  })
  const stored: Message[] = []
  const conversation = createConversation({
    side,
    clientId: CLIENT,
    senderId,
    tab,
    link,
    wire: server.wireOf(senderId),
    onStored: (message) => stored.push(message),
  })
  link.activate()
  conversation.start()
  link.start()
  const state = conversation.getState
  return {
    conversation,
    link,
    tab,
    stored,
    state,
    texts: () => state().messages.map(({ message }) => message),
    loaded: () => vi.waitFor(() => expect(state().loaded).toBe(true)),
  }
}

describe('conversation', () => {
  it('asks after a hole has stood for a moment, and takes the answer for the truth', async () => {
    const server = createServer()
    server.store(CLIENT, 'one')
    const guest = join(server, 'visitor')
    await guest.loaded()
    server.store(ADMIN, 'two')
    guest.conversation.facts.message(server.store(ADMIN, 'three'))
    expect(guest.texts()).toEqual(['one'])
    const asked = server.asked.length
    await vi.advanceTimersByTimeAsync(GAP_WAIT_MS - 1)
    expect(server.asked.length).toBe(asked)
    await vi.advanceTimersByTimeAsync(1)
    expect(server.asked.at(-1)).toEqual({ after: 1 })
    expect(guest.texts()).toEqual(['one', 'two', 'three'])
  })

  it('does not ask when the hole closes by itself', async () => {
    const server = createServer()
    server.store(CLIENT, 'one')
    const guest = join(server, 'visitor')
    await guest.loaded()
    const asked = server.asked.length
    const [two, three] = [server.store(ADMIN, 'two'), server.store(ADMIN, 'three')]
    guest.conversation.facts.message(three)
    guest.conversation.facts.message(two)
    guest.conversation.facts.message(two)
    expect(guest.texts()).toEqual(['one', 'two', 'three'])
    await vi.advanceTimersByTimeAsync(GAP_WAIT_MS)
    expect(server.asked.length).toBe(asked)
  })

  it('shows what came before an acknowledged message first', async () => {
    const server = createServer()
    const guest = join(server, 'visitor')
    await guest.loaded()
    server.store(ADMIN, 'unheard')
    guest.conversation.send('mine')
    await vi.waitFor(() => expect(guest.texts()).toEqual(['unheard', 'mine']))
    expect(guest.state().pending).toEqual([])
  })

  it('sends again with the same nonce when the history was begun anew', async () => {
    const server = createServer()
    server.store(CLIENT, 'old')
    const guest = join(server, 'visitor')
    await guest.loaded()
    server.erase()
    guest.conversation.send('new')
    await vi.waitFor(() => expect(guest.texts()).toEqual(['new']))
    expect(server.sent.map(({ epoch }) => epoch)).toEqual(['e1', 'e2'])
    expect(new Set(server.sent.map(({ nonce }) => nonce)).size).toBe(1)
    expect(guest.state().pending).toEqual([])
  })

  it('is empty once it is erased, and goes on with what is written then', async () => {
    const server = createServer()
    server.store(ADMIN, 'old')
    const guest = join(server, 'visitor')
    await guest.loaded()
    await guest.conversation.erase()
    expect(guest.state()).toMatchObject({ loaded: true, messages: [], read: { visitor: 0, admin: 0 } })
    guest.conversation.send('new')
    await vi.waitFor(() => expect(guest.texts()).toEqual(['new']))
    expect(server.sent.map(({ epoch }) => epoch)).toEqual(['e2'])
  })

  it('tells arrivals once, without own ones, and what was there already as not live', async () => {
    const server = createServer()
    server.store(ADMIN, 'before')
    const guest = join(server, 'visitor')
    const told: [boolean, string[]][] = []
    guest.conversation.onArrived(({ live, messages }) =>
      told.push([live, messages.map((one) => one.message)]),
    )
    await guest.loaded()
    guest.conversation.send('mine')
    await vi.waitFor(() => expect(guest.texts()).toEqual(['before', 'mine']))
    const after = server.store(ADMIN, 'after')
    guest.conversation.facts.message(after)
    guest.conversation.facts.message(after)
    guest.link.sync()
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toEqual([
      [false, ['before']],
      [true, ['after']],
    ])
  })

  it("keeps an admin's reply while their session is gone", async () => {
    const server = createServer()
    const helper = join(server, 'admin')
    await helper.loaded()
    server.refusals.push(new AppError('forbidden', 'sign in'), new AppError('unauthorized', 'sign in'))
    helper.conversation.send('reply')
    await vi.waitFor(() => expect(server.sent.length).toBe(1))
    await vi.waitFor(() =>
      expect(helper.state().pending).toMatchObject([{ state: 'sending', reason: 'sign in' }]),
    )
    await vi.advanceTimersByTimeAsync(60_000)
    await vi.waitFor(() => expect(helper.texts()).toEqual(['reply']))
    expect(helper.stored.map(({ message }) => message)).toEqual(['reply'])
  })

  it('waits as long as the server asks, says why, and sends then', async () => {
    const server = createServer()
    const guest = join(server, 'visitor')
    await guest.loaded()
    server.refusals.push(new AppError('rate-limited', 'Please wait 20 seconds.', { retryAfterMs: 20_000 }))
    guest.conversation.send('one')
    await vi.waitFor(() =>
      expect(guest.state().pending).toMatchObject([{ state: 'sending', reason: 'Please wait 20 seconds.' }]),
    )
    guest.conversation.send('two')
    await vi.advanceTimersByTimeAsync(19_000)
    expect(server.sent.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1_000)
    await vi.waitFor(() => expect(guest.texts()).toEqual(['one', 'two']))
  })

  it('shows what another tab typed, and drops it when that tab got it stored', async () => {
    const browser = new Browser()
    const server = createServer()
    const [one, other] = [join(server, 'visitor', browser.open()), join(server, 'visitor', browser.open())]
    await one.loaded()
    await other.loaded()
    const waited: string[] = []
    other.conversation.subscribe(() => waited.push(...other.state().pending.map(({ message }) => message)))
    one.conversation.send('typed here')
    await vi.waitFor(() => expect(one.texts()).toEqual(['typed here']))
    await vi.waitFor(() => expect(other.state().pending).toEqual([]))
    await vi.advanceTimersByTimeAsync(GAP_WAIT_MS)
    expect(waited).toContain('typed here')
    expect(other.texts()).toEqual(['typed here'])
    expect(server.sent.length).toBe(1)
  })

  it('drops what waits here when it turns out to be stored', async () => {
    const server = createServer()
    const before = join(server, 'visitor')
    await before.loaded()
    before.link.stop()
    server.refusals.push(new AppError('unavailable', 'no answer'))
    before.conversation.send('stored, but nobody said so')
    await vi.waitFor(() => expect(server.sent.length).toBe(1))
    before.link.stop()
    server.store(CLIENT, 'stored, but nobody said so', server.sent[0]?.nonce)
    before.link.start()
    await vi.waitFor(() => expect(before.texts()).toEqual(['stored, but nobody said so']))
    expect(before.state().pending).toEqual([])
    expect(server.sent.length).toBe(1)
  })

  it('moves the read mark forwards only, a quarter second together, and again when it failed', async () => {
    const server = createServer()
    for (const text of ['one', 'two', 'three']) server.store(ADMIN, text)
    const guest = join(server, 'visitor')
    await guest.loaded()
    guest.conversation.markSeen(1)
    guest.conversation.markSeen(2)
    guest.conversation.markSeen(1)
    await vi.advanceTimersByTimeAsync(250)
    expect(server.marked).toEqual([2])
    expect(guest.state().read.visitor).toBe(2)
    server.refusals.push(new AppError('unavailable', 'away'))
    guest.conversation.markSeen(3)
    await vi.advanceTimersByTimeAsync(250)
    expect(guest.state().read.visitor).toBe(2)
    guest.link.sync()
    await vi.advanceTimersByTimeAsync(0)
    expect(server.marked).toEqual([2, 3, 3])
    expect(guest.state().read.visitor).toBe(3)
    guest.conversation.facts.read({ clientId: CLIENT, by: 'admin', seq: 2 })
    guest.conversation.facts.read({ clientId: CLIENT, by: 'admin', seq: 1 })
    expect(guest.state().read).toEqual({ visitor: 3, admin: 2 })
  })

  it('says that one is typing every three seconds at most, and at once that one stopped', async () => {
    const server = createServer()
    const guest = join(server, 'visitor')
    await guest.loaded()
    guest.conversation.setTyping(false)
    for (let key = 0; key < 7; key++) {
      guest.conversation.setTyping(true)
      await vi.advanceTimersByTimeAsync(500)
    }
    expect(server.typed).toEqual([true, true])
    guest.conversation.setTyping(false)
    guest.conversation.setTyping(false)
    expect(server.typed).toEqual([true, true, false])
  })
})

describe('conversation over a socket', () => {
  it('lets the sign of typing go out by itself, and with the message', async () => {
    const server = createServer()
    const guest = join(server, 'visitor')
    await guest.loaded()
    const { facts } = guest.conversation
    facts.typing({ clientId: CLIENT, by: 'admin', typing: true })
    expect(guest.state().adminTyping).toBe(true)
    await vi.advanceTimersByTimeAsync(TYPING_TTL_MS)
    expect(guest.state().adminTyping).toBe(false)
    facts.typing({ clientId: CLIENT, by: 'admin', typing: true })
    facts.message(server.store(ADMIN, 'here'))
    expect(guest.state().adminTyping).toBe(false)
  })
})
