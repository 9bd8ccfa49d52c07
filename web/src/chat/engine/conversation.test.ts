// @vitest-environment node
import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { GAP_WAIT_MS, TYPING_TTL_MS } from '@proctorpass/shared/limits'
import type { Message, Page, PageQuery, PostRating } from '@proctorpass/shared/schemas/chat'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { guardReply } from './admin-guard.ts'
import { createConversation } from './conversation.ts'
import { createLink } from './link.ts'
import { createPush } from './push.ts'
import type { ConversationRequests } from './requests.ts'
import { createSyncSchedule } from './schedule.ts'
import { noFiles } from './testing/attachments.ts'
import { Browser, type TestTab } from './testing/browser.ts'

const CLIENT = 'abcdefghijklmnopqrst'
const ADMIN = '0123456789abcdef01234567'
const OTHER_ADMIN = '76543210fedcba9876543210'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server with one conversation, for answers that the real one does not give on demand. */
function createServer() {
  let messages: Message[] = []
  let epoch = ''
  const read = { visitor: 0, admin: 0 }
  const queries: PageQuery[] = []
  const marked: number[] = []
  const typed: boolean[] = []
  const refusals: AppError[] = []
  const left: string[] = []
  const sent: { nonce: string; epoch: string }[] = []
  const rated: PostRating[] = []
  let ask: Page['ask']
  let late: Promise<void> | undefined

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

  const requestsOf = (senderId: string): ConversationRequests => ({
    async sync(query) {
      queries.push(query)
      const { after = 0 } = query
      const found = messages.filter(({ seq }) => seq > after)
      const page: Page = {
        messages: found,
        ...(found.some((message) => message.senderId === ADMIN) && { people: { [ADMIN]: { name: 'Ada' } } }),
        seq: messages.at(-1)?.seq ?? 0,
        epoch,
        more: false,
        read,
        transport: 'polling',
        ...(ask && { ask }),
      }
      const answer = structuredClone(page)
      const held = late
      late = undefined
      if (held) await held
      return answer
    },
    sendAndLeave(message) {
      left.push(message.nonce)
    },
    async send({ nonce, message, epoch: known = '' }) {
      sent.push({ nonce, epoch: known })
      const refusal = refusals.shift()
      if (refusal) throw refusal
      if (known !== '' && known !== epoch) throw new AppError('stale-epoch', 'started anew')
      return messages.find((stored) => stored.nonce === nonce) ?? store(senderId, message, nonce)
    },
    async erase() {
      if (messages.length === 0) throw new AppError('not-found', 'Conversation not found.')
      messages = []
      epoch = 'e2'
    },
    async rate(rating) {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      rated.push(rating)
      ask = undefined
    },
    download: async () => Promise.reject(new Error('No file is scripted.')),
    async markRead(seq) {
      marked.push(seq)
      const refusal = refusals.shift()
      if (refusal) throw refusal
      return { seq, adminUnread: 0 }
    },
    setTyping(typing) {
      typed.push(typing)
      return true
    },
  })

  return {
    queries,
    marked,
    typed,
    refusals,
    sent,
    left,
    rated,
    setAsk(next: Page['ask']) {
      ask = next
    },
    store,
    requestsOf,
    /** Holds the next page back until the returned function is called. The page is made when it is asked for. */
    holdPage() {
      const { promise, resolve } = Promise.withResolvers<void>()
      late = promise
      return resolve
    },
    erase() {
      messages = []
      epoch = 'e2'
    },
  }
}

function join(server: ReturnType<typeof createServer>, side: Side, tab: TestTab = new Browser().open()) {
  const senderId = side === 'admin' ? ADMIN : CLIENT
  const connection = createPush({ origin: '', namespace: '/', auth: async () => ({}) })
  const link = createLink(tab, connection, 'polling')
  const schedule = createSyncSchedule(link, 60_000, async () => 'polling')
  const stored: Message[] = []
  const conversation = createConversation({
    openAttachments: noFiles,
    side,
    clientId: CLIENT,
    senderId,
    tab,
    link,
    schedule,
    requests: server.requestsOf(senderId),
    onStored: (message) => stored.push(message),
    ...(side === 'admin' && { guard: guardReply }),
  })
  link.activate()
  conversation.start()
  link.start()
  const state = conversation.getState
  return {
    conversation,
    link,
    schedule,
    stored,
    state,
    texts: () => state().messages.map(({ message }) => message),
    loaded: () => vi.waitFor(() => expect(state().loaded).toBe(true)),
  }
}

describe('conversation', () => {
  it('syncs when a gap stays open for a moment, and accepts the answer', async () => {
    const server = createServer()
    server.store(CLIENT, 'one')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    server.store(ADMIN, 'two')
    visitor.conversation.facts['message:created'](server.store(ADMIN, 'three'))
    expect(visitor.texts()).toEqual(['one'])
    const count = server.queries.length
    await vi.advanceTimersByTimeAsync(GAP_WAIT_MS - 1)
    expect(server.queries.length).toBe(count)
    await vi.advanceTimersByTimeAsync(1)
    expect(server.queries.at(-1)).toEqual({ after: 1, edits: 0 })
    expect(visitor.texts()).toEqual(['one', 'two', 'three'])
  })

  it('does not sync when the gap closes by itself', async () => {
    const server = createServer()
    server.store(CLIENT, 'one')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    const count = server.queries.length
    const [two, three] = [server.store(CLIENT, 'two'), server.store(CLIENT, 'three')]
    visitor.conversation.facts['message:created'](three)
    visitor.conversation.facts['message:created'](two)
    visitor.conversation.facts['message:created'](two)
    expect(visitor.texts()).toEqual(['one', 'two', 'three'])
    await vi.advanceTimersByTimeAsync(GAP_WAIT_MS)
    expect(server.queries.length).toBe(count)
  })

  it('reads the name of an unknown sender once', async () => {
    const server = createServer()
    server.store(CLIENT, 'one')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    expect(visitor.state().people).toEqual({})
    const count = server.queries.length
    visitor.conversation.facts['message:created'](server.store(ADMIN, 'two'))
    await vi.waitFor(() => expect(visitor.state().people).toEqual({ [ADMIN]: { name: 'Ada' } }))
    expect(server.queries.at(-1)).toEqual({ after: 1, limit: 1 })
    visitor.conversation.facts['message:created'](server.store(ADMIN, 'three'))
    await vi.advanceTimersByTimeAsync(GAP_WAIT_MS)
    expect(visitor.texts()).toEqual(['one', 'two', 'three'])
    expect(server.queries.length).toBe(count + 1)
  })

  it('shows the predecessors of an acknowledged message first', async () => {
    const server = createServer()
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    server.store(ADMIN, 'missed')
    visitor.conversation.send('mine')
    await vi.waitFor(() => expect(visitor.texts()).toEqual(['missed', 'mine']))
    expect(visitor.state().pending).toEqual([])
  })

  it('sends again with the same nonce when the epoch changed', async () => {
    const server = createServer()
    server.store(CLIENT, 'old')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    server.erase()
    visitor.conversation.send('new')
    await vi.waitFor(() => expect(visitor.texts()).toEqual(['new']))
    expect(server.sent.map(({ epoch }) => epoch)).toEqual(['e1', 'e2'])
    expect(new Set(server.sent.map(({ nonce }) => nonce)).size).toBe(1)
    expect(visitor.state().pending).toEqual([])
  })

  it('is empty after an erase, and shows the messages sent since', async () => {
    const server = createServer()
    server.store(ADMIN, 'old')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    await visitor.conversation.erase()
    expect(visitor.state()).toMatchObject({ loaded: true, messages: [], read: { visitor: 0, admin: 0 } })
    visitor.conversation.send('new')
    await vi.waitFor(() => expect(visitor.texts()).toEqual(['new']))
    expect(server.sent.map(({ epoch }) => epoch)).toEqual(['e2'])
  })

  it('is no erase when a page from before the conversation comes late', async () => {
    const server = createServer()
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    const release = server.holdPage()
    void visitor.schedule.run()
    await vi.waitFor(() => expect(server.queries).toHaveLength(2))
    visitor.conversation.facts['message:created'](server.store(CLIENT, 'one'))
    visitor.conversation.facts['message:created'](server.store(ADMIN, 'two'))
    visitor.conversation.markSeen(2)
    const shown: (readonly string[])[] = []
    visitor.conversation.subscribe(() => shown.push(visitor.texts()))
    release()
    await vi.advanceTimersByTimeAsync(250)
    expect(shown.every((texts) => texts.length === 2)).toBe(true)
    expect(server.marked).toEqual([2])
    expect(visitor.state()).toMatchObject({ erased: false, read: { visitor: 2 } })
  })

  it('shows what was pushed before a first page from before the conversation', async () => {
    const server = createServer()
    const release = server.holdPage()
    const visitor = join(server, 'visitor')
    await vi.waitFor(() => expect(server.queries).toHaveLength(1))
    visitor.conversation.facts['message:created'](server.store(CLIENT, 'one'))
    release()
    await visitor.loaded()
    expect(visitor.texts()).toEqual(['one'])
  })

  it('stays empty after an erase when a page from before it comes late', async () => {
    const server = createServer()
    server.store(CLIENT, 'one')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    server.store(CLIENT, 'two')
    const release = server.holdPage()
    void visitor.schedule.run()
    await vi.waitFor(() => expect(server.queries).toHaveLength(2))
    const erased = visitor.conversation.erase()
    await vi.advanceTimersByTimeAsync(0)
    release()
    await erased
    expect(visitor.texts()).toEqual([])
  })

  it('counts as erased when the other side was first', async () => {
    const server = createServer()
    server.store(CLIENT, 'old')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    expect(visitor.state().erased).toBe(false)
    server.erase()
    await visitor.conversation.erase()
    expect(visitor.state()).toMatchObject({ messages: [], erased: true })
    server.store(ADMIN, 'anew')
    visitor.conversation.facts['conversation:erased']({ clientId: CLIENT })
    await vi.waitFor(() => expect(visitor.state().erased).toBe(false))
  })

  it('keeps the text of a reply to an erased conversation, and does not send it', async () => {
    const server = createServer()
    server.store(CLIENT, 'old')
    const admin = join(server, 'admin')
    await admin.loaded()
    server.refusals.push(new AppError('unavailable', 'away'))
    admin.conversation.send('a long answer')
    await vi.waitFor(() => expect(server.sent).toHaveLength(1))
    server.erase()
    admin.conversation.facts['conversation:erased']({ clientId: CLIENT })
    await vi.waitFor(() => expect(admin.state().erased).toBe(true))
    await vi.waitFor(
      () =>
        expect(admin.state().pending).toMatchObject([
          { message: 'a long answer', state: 'refused', reason: 'This conversation was erased' },
        ]),
      { timeout: 5_000 },
    )
    expect(server.sent).toHaveLength(1)
  })

  it('holds a reply of which the visitor has erased the conversation and begun another', async () => {
    const server = createServer()
    server.store(CLIENT, 'old')
    const admin = join(server, 'admin')
    await admin.loaded()
    expect(admin.link.getState().connection).toBe('connected')
    server.erase()
    server.store(CLIENT, 'anew')
    admin.conversation.send('of the old one')
    await vi.waitFor(() =>
      expect(admin.state().pending).toMatchObject([
        {
          message: 'of the old one',
          state: 'held',
          reason: 'There are newer messages. Check your reply before sending.',
        },
      ]),
    )
    expect(admin.texts()).toEqual(['anew'])
  })

  it("holds an admin's waiting reply when another admin has answered since, not when they answered themselves", async () => {
    const server = createServer()
    server.store(CLIENT, 'question')
    const admin = join(server, 'admin')
    await admin.loaded()
    admin.link.stop()
    server.refusals.push(new AppError('unavailable', 'away'))
    admin.conversation.send('one')
    admin.conversation.send('two')
    await vi.waitFor(() => expect(server.sent).toHaveLength(1))
    server.store(ADMIN, 'from my phone')
    admin.link.start()
    await vi.waitFor(() => expect(admin.texts()).toEqual(['question', 'from my phone', 'one', 'two']))
    expect(admin.state().pending).toEqual([])

    admin.link.stop()
    server.refusals.push(new AppError('unavailable', 'away'))
    admin.conversation.send('three')
    await vi.waitFor(() => expect(server.sent).toHaveLength(4))
    server.store(OTHER_ADMIN, 'answered')
    admin.link.start()
    await vi.waitFor(() => expect(admin.state().pending).toMatchObject([{ message: 'three', state: 'held' }]))
    admin.conversation.retry(admin.state().pending[0]?.nonce ?? '')
    await vi.waitFor(() => expect(admin.texts().slice(-2)).toEqual(['answered', 'three']))
    expect(admin.state().pending).toEqual([])
  })

  it('keeps the text of a message that is refused to a blocked visitor', async () => {
    const server = createServer()
    server.store(CLIENT, 'old')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    server.refusals.push(new AppError('blocked', "You can't send messages here."))
    visitor.conversation.send('let me in')
    await vi.waitFor(() =>
      expect(visitor.state().pending).toMatchObject([
        { message: 'let me in', state: 'refused', reason: "You can't send messages here." },
      ]),
    )
  })

  it('asks for a rating as the server says, until it is given', async () => {
    const server = createServer()
    server.store(CLIENT, 'hello')
    server.setAsk('rating')
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    expect(visitor.state().ask).toBe('rating')
    server.refusals.push(new AppError('unavailable', 'away'))
    await expect(visitor.conversation.rate(4, 'fine')).rejects.toThrow('away')
    expect(visitor.state().ask).toBe('rating')
    await visitor.conversation.rate(4, 'fine')
    expect(server.rated).toEqual([{ score: 4, words: 'fine' }])
    expect(visitor.state().ask).toBeNull()
    visitor.conversation.facts['ask:changed']({ ask: 'rating' })
    expect(visitor.state().ask).toBe('rating')
    visitor.conversation.facts['ask:changed']({ ask: null })
    expect(visitor.state().ask).toBeNull()
  })

  it('notifies of each arrival once, not of own messages, and of the first page as not live', async () => {
    const server = createServer()
    server.store(ADMIN, 'before')
    const visitor = join(server, 'visitor')
    const arrivals: [boolean, string[]][] = []
    visitor.conversation.onArrived(({ live, messages }) =>
      arrivals.push([live, messages.map(({ message }) => message)]),
    )
    await visitor.loaded()
    visitor.conversation.send('mine')
    await vi.waitFor(() => expect(visitor.texts()).toEqual(['before', 'mine']))
    const after = server.store(ADMIN, 'after')
    visitor.conversation.facts['message:created'](after)
    visitor.conversation.facts['message:created'](after)
    void visitor.schedule.run()
    await vi.advanceTimersByTimeAsync(0)
    expect(arrivals).toEqual([
      [false, ['before']],
      [true, ['after']],
    ])
  })

  it("keeps an admin's reply in the outbox while their session is ended", async () => {
    const server = createServer()
    const admin = join(server, 'admin')
    await admin.loaded()
    server.refusals.push(new AppError('forbidden', 'sign in'), new AppError('unauthorized', 'sign in'))
    admin.conversation.send('reply')
    await vi.waitFor(() => expect(server.sent.length).toBe(1))
    await vi.waitFor(() =>
      expect(admin.state().pending).toMatchObject([{ state: 'sending', reason: 'sign in' }]),
    )
    await vi.advanceTimersByTimeAsync(60_000)
    await vi.waitFor(() => expect(admin.texts()).toEqual(['reply']))
    expect(admin.stored.map(({ message }) => message)).toEqual(['reply'])
  })

  it('waits as long as the server asks, shows the reason, and then sends', async () => {
    const server = createServer()
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    server.refusals.push(new AppError('rate-limited', 'Please wait 20 seconds.', { retryAfterMs: 20_000 }))
    visitor.conversation.send('one')
    await vi.waitFor(() =>
      expect(visitor.state().pending).toMatchObject([
        { state: 'sending', reason: 'Please wait 20 seconds.' },
      ]),
    )
    visitor.conversation.send('two')
    await vi.advanceTimersByTimeAsync(19_000)
    expect(server.sent.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1_000)
    await vi.waitFor(() => expect(visitor.texts()).toEqual(['one', 'two']))
  })

  it('shows a message typed in another tab as pending until that tab has sent it', async () => {
    const browser = new Browser()
    const server = createServer()
    const [one, other] = [join(server, 'visitor', browser.open()), join(server, 'visitor', browser.open())]
    await one.loaded()
    await other.loaded()
    const pending: string[] = []
    other.conversation.subscribe(() => pending.push(...other.state().pending.map(({ message }) => message)))
    one.conversation.send('typed here')
    await vi.waitFor(() => expect(one.texts()).toEqual(['typed here']))
    await vi.waitFor(() => expect(other.state().pending).toEqual([]))
    await vi.advanceTimersByTimeAsync(GAP_WAIT_MS)
    expect(pending).toContain('typed here')
    expect(other.texts()).toEqual(['typed here'])
    expect(server.sent.length).toBe(1)
  })

  it('removes a pending message that turns out to be stored', async () => {
    const server = createServer()
    const before = join(server, 'visitor')
    await before.loaded()
    before.link.stop()
    server.refusals.push(new AppError('unavailable', 'no answer'))
    before.conversation.send('stored, not acknowledged')
    await vi.waitFor(() => expect(server.sent.length).toBe(1))
    before.link.stop()
    server.store(CLIENT, 'stored, not acknowledged', server.sent[0]?.nonce)
    before.link.start()
    await vi.waitFor(() => expect(before.texts()).toEqual(['stored, not acknowledged']))
    expect(before.state().pending).toEqual([])
    expect(server.sent.length).toBe(1)
  })

  it('leaves with a request for the oldest unsent message only, under its nonce', async () => {
    const tab = new Browser().open()
    const server = createServer()
    const visitor = join(server, 'visitor', tab)
    await visitor.loaded()
    tab.events.dispatchEvent(new Event('pagehide'))
    server.refusals.push(new AppError('unavailable', 'no answer'))
    visitor.conversation.send('one')
    visitor.conversation.send('two')
    await vi.waitFor(() => expect(server.sent).toHaveLength(1))
    tab.events.dispatchEvent(new Event('pagehide'))
    expect(server.left).toEqual([visitor.state().pending[0]?.nonce])
    expect(server.left).toEqual([server.sent[0]?.nonce])
    expect(visitor.state().pending.map(({ message }) => message)).toEqual(['one', 'two'])
  })

  it('sends the read mark forwards only, once per 250 ms, and again after a failure', async () => {
    const server = createServer()
    for (const text of ['one', 'two', 'three']) server.store(ADMIN, text)
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    visitor.conversation.markSeen(1)
    visitor.conversation.markSeen(2)
    visitor.conversation.markSeen(1)
    await vi.advanceTimersByTimeAsync(250)
    expect(server.marked).toEqual([2])
    expect(visitor.state().read.visitor).toBe(2)
    server.refusals.push(new AppError('unavailable', 'away'))
    visitor.conversation.markSeen(3)
    await vi.advanceTimersByTimeAsync(250)
    expect(visitor.state().read.visitor).toBe(2)
    void visitor.schedule.run()
    await vi.advanceTimersByTimeAsync(0)
    expect(server.marked).toEqual([2, 3, 3])
    expect(visitor.state().read.visitor).toBe(3)
    visitor.conversation.facts['conversation:read']({ clientId: CLIENT, by: 'admin', seq: 2 })
    visitor.conversation.facts['conversation:read']({ clientId: CLIENT, by: 'admin', seq: 1 })
    expect(visitor.state().read).toEqual({ visitor: 3, admin: 2 })
  })

  it('sends typing at most every three seconds, and its end at once', async () => {
    const server = createServer()
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    visitor.conversation.setTyping(false)
    for (let key = 0; key < 7; key++) {
      visitor.conversation.setTyping(true)
      await vi.advanceTimersByTimeAsync(500)
    }
    expect(server.typed).toEqual([true, true])
    visitor.conversation.setTyping(false)
    visitor.conversation.setTyping(false)
    expect(server.typed).toEqual([true, true, false])
  })
})

describe('a conversation over a socket', () => {
  it('ends the typing indicator after a timeout and with a message', async () => {
    const server = createServer()
    const visitor = join(server, 'visitor')
    await visitor.loaded()
    const { facts } = visitor.conversation
    facts['typing:changed']({ clientId: CLIENT, by: 'admin', typing: true })
    expect(visitor.state().adminTyping).toBe(true)
    await vi.advanceTimersByTimeAsync(TYPING_TTL_MS)
    expect(visitor.state().adminTyping).toBe(false)
    facts['typing:changed']({ clientId: CLIENT, by: 'admin', typing: true })
    facts['message:created'](server.store(ADMIN, 'here'))
    expect(visitor.state().adminTyping).toBe(false)
  })
})
