// @vitest-environment node
import { MESSAGE_MAX } from '@proctorpass/shared/limits'
import type { PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ServerProcess, startServer, temporaryDir } from '../../../../api/test/server-process.ts'
import { TcpProxy } from '../../../../api/test/tcp-proxy.ts'
import { type AdminChat, createAdminChat } from './admin-chat.ts'
import { createVisitorChat, type VisitorChat } from './chat.ts'
import type { ChatLink } from './link.ts'
import { createOutbox } from './outbox.ts'
import { randomText } from './random-text.ts'
import { filesOf } from './testing/attachments.ts'
import { Browser, fullStorage, type TestTab } from './testing/browser.ts'
import { type RestClient, restOf, signIn, storedTexts } from './testing/people.ts'
import type { Conversation } from './types.ts'

const CONFIG: PublicConfig['chat'] = { transport: 'push', pollMs: 100, unreadPollMs: 1_000 }
/** Above the acknowledgement timeout, the connect timeout and the pauses between retries together. */
const WAIT = { timeout: 25_000, interval: 20 }

const texts = (conversation: Conversation) => conversation.getState().messages.map(({ message }) => message)
const pending = (conversation: Conversation) => conversation.getState().pending.map(({ message }) => message)

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

interface Person<Chat> {
  chat: Chat
  conversation: Conversation
  tab: TestTab
  rest: RestClient
}

function openVisitor(
  origin: string,
  options: {
    browser?: Browser
    tab?: TestTab
    clientId?: string
    key?: string | null
    proxy?: TcpProxy
    config?: PublicConfig['chat']
  } = {},
): Person<VisitorChat> & { clientId: string } {
  const { browser = new Browser(), clientId = randomText(20), key = null, proxy, config = CONFIG } = options
  const tab = options.tab ?? browser.open()
  const rest = restOf(origin)
  const chat = createVisitorChat({
    config,
    visitor: { clientId, key },
    tab,
    request: rest.request,
    openAttachments: filesOf(origin, browser.files),
    origin: proxy?.origin ?? origin,
  })
  ending.push(() => chat.stop())
  chat.start()
  return { chat, conversation: chat.conversation, tab, rest, clientId }
}

async function openAdmin(
  origin: string,
  clientId: string,
  options: { browser?: Browser; proxy?: TcpProxy; config?: PublicConfig['chat']; reads?: boolean } = {},
): Promise<Person<AdminChat>> {
  const { browser = new Browser(), proxy, config = CONFIG, reads = true } = options
  const { accessToken, user_Id: userId } = await signIn(origin)
  const tab = browser.open()
  const rest = restOf(origin, accessToken)
  const chat = createAdminChat({
    config,
    userId,
    tab,
    getToken: async () => accessToken,
    request: rest.request,
    openAttachments: filesOf(origin, browser.files, accessToken),
    origin: proxy?.origin ?? origin,
  })
  ending.push(() => chat.stop())
  const conversation = chat.conversation(clientId)
  if (reads) conversation.start()
  chat.start()
  return { chat, conversation, tab, rest }
}

const isUp = (chat: VisitorChat | AdminChat) =>
  vi.waitFor(() => {
    expect(chat.link.getState()).toMatchObject({ connection: 'connected', via: 'push' })
    // Before a visitor has written, `connected` does not mean that a socket is up.
    expect((chat.link as ChatLink).connectionId).not.toBeNull()
  }, WAIT)
const isPolling = (chat: VisitorChat | AdminChat) =>
  vi.waitFor(() => {
    expect(chat.link.getState()).toMatchObject({ connection: 'connected', via: 'polling', trouble: null })
  }, WAIT)
const shows = (conversation: Conversation, expected: string[]) =>
  vi.waitFor(() => {
    expect(texts(conversation)).toEqual(expected)
    expect(pending(conversation)).toEqual([])
  }, WAIT)

/** No message is ever shown twice, stored or pending, or out of order. */
function expectConsistent(conversation: Conversation) {
  const wrong: unknown[] = []
  conversation.subscribe(() => {
    const { messages, pending } = conversation.getState()
    const nonces = [...messages, ...pending].map(({ nonce }) => nonce)
    if (new Set(nonces).size !== nonces.length) wrong.push(nonces)
    if (messages.some(({ seq }, index) => seq <= (messages[index - 1]?.seq ?? 0))) wrong.push(messages)
  })
  ending.push(() => expect(wrong).toEqual([]))
}

async function proxyTo(server: ServerProcess): Promise<TcpProxy> {
  const proxy = await TcpProxy.open(server.port)
  ending.push(() => proxy.close())
  return proxy
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`)

describe('engine with a real server', () => {
  const data = temporaryDir('engine')
  let server: ServerProcess
  let origin: string
  beforeAll(async () => {
    server = await startServer({ dataDir: data.path })
    origin = server.origin
  }, 60_000)
  afterAll(async () => {
    await server.stop('SIGKILL')
    data.remove()
  })

  it('pushes messages of both sides, in order', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    const admin = await openAdmin(origin, visitor.clientId)
    expectConsistent(visitor.conversation)
    expectConsistent(admin.conversation)
    const live: string[] = []
    admin.conversation.onArrived(({ messages, live: isLive }) => {
      if (isLive) live.push(...messages.map(({ message }) => message))
    })
    await isUp(admin.chat)
    const asked = numbered('question', 12)
    for (const text of asked) visitor.conversation.send(text)
    expect(pending(visitor.conversation)).toEqual(asked)
    await shows(visitor.conversation, asked)
    await shows(admin.conversation, asked)
    expect(live).toEqual(asked)
    admin.conversation.send('\n  answer ')
    await shows(visitor.conversation, [...asked, '  answer'])
    await shows(admin.conversation, [...asked, '  answer'])
    expect(live).toEqual(asked)
    expect(await storedTexts(origin, visitor.clientId)).toEqual([...asked, '  answer'])
  })

  it('shows read marks, typing and presence of the other side', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    visitor.conversation.send('hello')
    const admin = await openAdmin(origin, visitor.clientId)
    await shows(admin.conversation, ['hello'])
    await isUp(visitor.chat)
    await vi.waitFor(() => {
      expect(visitor.conversation.getState().peerOnline).toBe(true)
      expect(admin.conversation.getState().peerOnline).toBe(true)
    }, WAIT)
    admin.conversation.markSeen(1)
    await vi.waitFor(() => expect(visitor.conversation.getState().read.admin).toBe(1), WAIT)
    expect(admin.conversation.getState().read.admin).toBe(1)
    admin.conversation.setTyping(true)
    await vi.waitFor(() => expect(visitor.conversation.getState().adminTyping).toBe(true), WAIT)
    admin.conversation.send('there')
    await shows(visitor.conversation, ['hello', 'there'])
    expect(visitor.conversation.getState().adminTyping).toBe(false)
  })

  it('sends typing that began before the socket was up', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    visitor.conversation.send('hello')
    await isUp(visitor.chat)
    const admin = await openAdmin(origin, visitor.clientId)
    admin.conversation.setTyping(true)
    await vi.waitFor(() => expect(visitor.conversation.getState().adminTyping).toBe(true), WAIT)
    admin.conversation.setTyping(false)
    await vi.waitFor(() => expect(visitor.conversation.getState().adminTyping).toBe(false), WAIT)
  })

  it('opens no socket for a visitor who has never written, until they touch the chat', {
    timeout: 60_000,
  }, async () => {
    const proxy = await proxyTo(server)
    const visitor = openVisitor(origin, { proxy })
    await vi.waitFor(() => expect(visitor.conversation.getState().loaded).toBe(true), WAIT)
    expect(visitor.chat.link.getState()).toEqual({ connection: 'connected', trouble: null, via: 'push' })
    expect(proxy.connected).toBe(0)
    visitor.chat.touch()
    await vi.waitFor(() => expect(proxy.openConnections).toBe(1), WAIT)
    await isUp(visitor.chat)
  })

  it('opens the socket at once when a conversation exists', { timeout: 60_000 }, async () => {
    const before = openVisitor(origin)
    before.conversation.send('hello')
    await shows(before.conversation, ['hello'])
    const proxy = await proxyTo(server)
    openVisitor(origin, { proxy, clientId: before.clientId })
    await vi.waitFor(() => expect(proxy.openConnections).toBe(1), WAIT)
  })

  it('sends each message once from two tabs of one browser', { timeout: 60_000 }, async () => {
    const browser = new Browser()
    const one = openVisitor(origin, { browser })
    const other = openVisitor(origin, { browser, clientId: one.clientId })
    for (const { conversation } of [one, other]) expectConsistent(conversation)
    for (let round = 0; round < 10; round++) {
      one.conversation.send(`left ${round}`)
      other.conversation.send(`right ${round}`)
    }
    const typed = numbered('', 10).flatMap((number) => [`left${number}`, `right${number}`])
    await shows(one.conversation, typed)
    await shows(other.conversation, typed)
    expect(await storedTexts(origin, one.clientId)).toEqual(typed)
    expect(browser.storage.entries.size).toBe(0)
  })

  it('stores each message once without locks too', { timeout: 60_000 }, async () => {
    const browser = new Browser()
    const one = openVisitor(origin, { tab: browser.open({ locks: null }) })
    const other = openVisitor(origin, { tab: browser.open({ locks: null }), clientId: one.clientId })
    for (let round = 0; round < 5; round++) {
      one.conversation.send(`left ${round}`)
      other.conversation.send(`right ${round}`)
    }
    const typed = numbered('', 5).flatMap((number) => [`left${number}`, `right${number}`])
    await shows(one.conversation, typed)
    await shows(other.conversation, typed)
    expect(await storedTexts(origin, one.clientId)).toEqual(typed)
  })

  it('sends by REST what the socket did not acknowledge, and replaces the socket', {
    timeout: 60_000,
  }, async () => {
    const proxy = await proxyTo(server)
    const visitor = openVisitor(origin, { proxy })
    visitor.conversation.send('one')
    await shows(visitor.conversation, ['one'])
    await isUp(visitor.chat)
    visitor.rest.posted.length = 0
    let downAfter: string[] | null = null
    visitor.chat.link.subscribe(() => {
      if (visitor.chat.link.getState().connection === 'connecting') downAfter ??= texts(visitor.conversation)
    })
    proxy.deafen()
    visitor.conversation.send('two')
    await shows(visitor.conversation, ['one', 'two'])
    expect(visitor.rest.posted).toEqual(['two'])
    expect(downAfter).toEqual(['one'])
    await isUp(visitor.chat)
    expect(proxy.connected).toBe(2)
    expect(await storedTexts(origin, visitor.clientId)).toEqual(['one', 'two'])
  })

  it('notices a silent socket when the page wakes', { timeout: 60_000 }, async () => {
    const proxy = await proxyTo(server)
    const visitor = openVisitor(origin, { proxy })
    visitor.conversation.send('one')
    await isUp(visitor.chat)
    await shows(visitor.conversation, ['one'])
    proxy.deafen()
    await restOf(origin).request('/chat', {
      method: 'POST',
      body: { clientId: visitor.clientId, message: 'from another browser' },
    })
    visitor.tab.events.dispatchEvent(new Event('visibilitychange'))
    await shows(visitor.conversation, ['one', 'from another browser'])
    await isUp(visitor.chat)
  })

  it('keeps messages typed offline through a reload, and sends them once in order', {
    timeout: 60_000,
  }, async () => {
    const browser = new Browser()
    const proxy = await proxyTo(server)
    const before = openVisitor(origin, { browser, proxy })
    before.conversation.send('one')
    await shows(before.conversation, ['one'])
    before.rest.cut = true
    proxy.refuse()
    before.tab.goOffline()
    expect(before.chat.link.getState()).toMatchObject({
      connection: 'connecting',
      trouble: 'offline',
    })
    const typed = numbered('offline', 3)
    for (const text of typed) before.conversation.send(text)
    before.chat.stop()
    before.tab.close()

    const after = openVisitor(origin, { browser, proxy, clientId: before.clientId })
    after.rest.cut = true
    expect(pending(after.conversation)).toEqual(typed)
    await vi.waitFor(() => {
      expect(after.chat.link.getState().trouble).toBe('unreachable')
    }, WAIT)
    after.rest.cut = false
    proxy.accept()
    after.tab.goOnline()
    await shows(after.conversation, ['one', ...typed])
    await isUp(after.chat)
    expect(await storedTexts(origin, before.clientId)).toEqual(['one', ...typed])
  })

  it('polls while no socket can connect, and then returns to push', { timeout: 60_000 }, async () => {
    const proxy = await proxyTo(server)
    proxy.refuse()
    const visitor = openVisitor(origin, { proxy })
    const admin = await openAdmin(origin, visitor.clientId, { proxy })
    visitor.conversation.send('one')
    await isPolling(visitor.chat)
    await isPolling(admin.chat)
    await shows(admin.conversation, ['one'])
    admin.conversation.send('two')
    await shows(visitor.conversation, ['one', 'two'])
    proxy.accept()
    await isUp(visitor.chat)
    await isUp(admin.chat)
    visitor.conversation.send('three')
    await shows(admin.conversation, ['one', 'two', 'three'])
  })

  it('switches to push when the server wants it and no conversation is polled', {
    timeout: 60_000,
  }, async () => {
    const admin = await openAdmin(origin, randomText(20), {
      config: { ...CONFIG, transport: 'polling' },
      reads: false,
    })
    await isUp(admin.chat)
  })

  it('keeps a refused message with its reason, and sends the next ones', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    const long = 'x'.repeat(MESSAGE_MAX + 1)
    visitor.conversation.send(long)
    visitor.conversation.send('short')
    await vi.waitFor(() => expect(texts(visitor.conversation)).toEqual(['short']), WAIT)
    const [refused] = visitor.conversation.getState().pending
    expect(refused).toMatchObject({
      message: long,
      state: 'refused',
      reason: expect.stringContaining('4,000'),
    })
    visitor.conversation.retry(refused?.nonce ?? '')
    expect(visitor.conversation.getState().pending[0]).toMatchObject({ state: 'sending', reason: null })
    await vi.waitFor(() => expect(visitor.conversation.getState().pending[0]?.state).toBe('refused'), WAIT)
    const [again] = visitor.conversation.getState().pending
    expect(again?.nonce).not.toBe(refused?.nonce)
    visitor.conversation.discard(again?.nonce ?? '')
    expect(pending(visitor.conversation)).toEqual([])
    expect(await storedTexts(origin, visitor.clientId)).toEqual(['short'])
  })

  it('sends a message by REST that is too large for a frame', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    visitor.conversation.send('small')
    await isUp(visitor.chat)
    await shows(visitor.conversation, ['small'])
    let changes = 0
    visitor.chat.link.subscribe(() => changes++)
    const large = '🎓'.repeat(MESSAGE_MAX)
    visitor.conversation.send(large)
    await shows(visitor.conversation, ['small', large])
    expect(visitor.rest.posted).toContain(large)
    expect(changes).toBe(0)
  })

  it.each([
    ['full', fullStorage()],
    ['disabled', null],
  ])('works with a storage that is %s', { timeout: 60_000 }, async (_, storage) => {
    const visitor = openVisitor(origin, { tab: new Browser().open({ storage }) })
    visitor.rest.cut = true
    visitor.conversation.send('one')
    visitor.conversation.send('two')
    expect(pending(visitor.conversation)).toEqual(['one', 'two'])
    visitor.rest.cut = false
    visitor.tab.goOnline()
    await shows(visitor.conversation, ['one', 'two'])
  })

  describe.each(['push', 'polling'] as const)('with a key, in %s', (transport) => {
    const config = { ...CONFIG, transport }
    const key = () => randomText(43)

    it('admits only the holder of the key', { timeout: 60_000 }, async () => {
      const mine = { key: key(), config }
      const visitor = openVisitor(origin, mine)
      visitor.conversation.send('mine')
      await shows(visitor.conversation, ['mine'])
      const { clientId } = visitor
      await expect(storedTexts(origin, clientId)).rejects.toMatchObject({ code: 'forbidden' })
      const strangers = [
        openVisitor(origin, { clientId, config }),
        openVisitor(origin, { clientId, key: key(), config }),
      ]
      const refused = strangers.map(({ chat }) => new Promise<void>((resolve) => chat.onRefused(resolve)))
      for (const { conversation } of strangers) conversation.send('not mine')
      await Promise.all(refused)
      const tab = openVisitor(origin, { ...mine, clientId })
      await shows(tab.conversation, ['mine'])
      visitor.conversation.send('more')
      await shows(tab.conversation, ['mine', 'more'])
      for (const { conversation } of strangers) {
        expect([texts(conversation), pending(conversation)]).toEqual([[], ['not mine']])
      }
      expect(await storedTexts(origin, clientId, mine.key)).toEqual(['mine', 'more'])
    })

    it('moves unsent messages to a new conversation when it is refused its own', {
      timeout: 60_000,
    }, async () => {
      const before = openVisitor(origin, { key: key(), config })
      before.conversation.send('before')
      await shows(before.conversation, ['before'])
      const { clientId } = before
      // The key is lost, as when a person clears part of the storage.
      const lost = openVisitor(origin, { clientId, key: key(), config, browser: new Browser() })
      const refused = new Promise<void>((resolve) => lost.chat.onRefused(resolve))
      for (const text of ['one', 'two', 'three']) lost.conversation.send(text)
      await refused
      expect(pending(lost.conversation)).toEqual(['one', 'two', 'three'])

      const next = await lost.chat.startOver()
      ending.push(() => next.stop())
      next.start()
      await shows(next.conversation, ['one', 'two', 'three'])
      expect(next.conversation.clientId).not.toBe(clientId)
      expect(createOutbox(lost.tab, 'visitor', clientId).list()).toEqual([])
      await expect(storedTexts(origin, next.conversation.clientId)).rejects.toMatchObject({
        code: 'forbidden',
      })
      next.conversation.send('four')
      await shows(next.conversation, ['one', 'two', 'three', 'four'])
    })
  })

  it('adds a key to a conversation of an older page with its next message', { timeout: 60_000 }, async () => {
    const clientId = randomText(20)
    const older = openVisitor(origin, { clientId })
    older.conversation.send('without a key')
    await shows(older.conversation, ['without a key'])
    older.chat.stop()
    const key = randomText(43)
    const newer = openVisitor(origin, { clientId, key })
    await shows(newer.conversation, ['without a key'])
    expect(await storedTexts(origin, clientId)).toEqual(['without a key'])
    newer.conversation.send('with a key')
    await shows(newer.conversation, ['without a key', 'with a key'])
    await expect(storedTexts(origin, clientId)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('keeps the order while the clock jumps', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    const clock = vi.spyOn(Date, 'now')
    ending.push(() => clock.mockRestore())
    const typed = numbered('text', 6)
    const start = 1_790_000_000_000
    typed.forEach((text, index) => {
      clock.mockReturnValue(start + (index % 2 === 0 ? -1 : 1) * index * 7_200_000)
      visitor.conversation.send(text)
    })
    await shows(visitor.conversation, typed)
  })

  it('syncs page by page, and reads older pages on demand', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    visitor.conversation.send('first')
    await shows(visitor.conversation, ['first'])
    await isUp(visitor.chat)
    visitor.chat.stop()
    const missed = numbered('missed', 260)
    const { request } = restOf(origin)
    for (const message of missed) {
      await request<PostedMessage>('/chat', { method: 'POST', body: { clientId: visitor.clientId, message } })
    }
    visitor.chat.start()
    await shows(visitor.conversation, ['first', ...missed])

    const fresh = openVisitor(origin, { clientId: visitor.clientId })
    await vi.waitFor(() => expect(fresh.conversation.getState().hasOlder).toBe(true), WAIT)
    while (fresh.conversation.getState().hasOlder) await fresh.conversation.loadOlder()
    expect(texts(fresh.conversation)).toEqual(['first', ...missed])
  })

  it('syncs long messages in pages limited by bytes', { timeout: 60_000 }, async () => {
    const visitor = openVisitor(origin)
    visitor.conversation.send('first')
    await shows(visitor.conversation, ['first'])
    await isUp(visitor.chat)
    visitor.chat.stop()
    const missed = numbered('missed', 40).map((text) => `${text} ${'😀'.repeat(MESSAGE_MAX - 20)}`)
    const { request } = restOf(origin)
    for (const message of missed) {
      await request<PostedMessage>('/chat', { method: 'POST', body: { clientId: visitor.clientId, message } })
    }
    visitor.chat.start()
    await shows(visitor.conversation, ['first', ...missed])

    const fresh = openVisitor(origin, { clientId: visitor.clientId })
    await vi.waitFor(() => expect(fresh.conversation.getState().hasOlder).toBe(true), WAIT)
    expect(texts(fresh.conversation).at(-1)).toBe(missed.at(-1))
    while (fresh.conversation.getState().hasOlder) await fresh.conversation.loadOlder()
    expect(texts(fresh.conversation)).toEqual(['first', ...missed])
  })

  it("holds an admin's waiting reply when the visitor has written since", { timeout: 60_000 }, async () => {
    const browser = new Browser()
    const visitor = openVisitor(origin)
    visitor.conversation.send('question')
    await shows(visitor.conversation, ['question'])
    const before = await openAdmin(origin, visitor.clientId, { browser })
    await shows(before.conversation, ['question'])
    before.rest.cut = true
    before.chat.stop()
    before.conversation.send('reply')
    before.tab.close()
    visitor.conversation.send('never mind')
    await shows(visitor.conversation, ['question', 'never mind'])

    const after = await openAdmin(origin, visitor.clientId, { browser })
    await vi.waitFor(() => {
      expect(texts(after.conversation)).toEqual(['question', 'never mind'])
      expect(after.conversation.getState().pending).toMatchObject([{ message: 'reply', state: 'held' }])
    }, WAIT)
    after.conversation.send('newer reply')
    await vi.waitFor(() => expect(texts(visitor.conversation)).toContain('newer reply'), WAIT)
    after.conversation.retry(after.conversation.getState().pending[0]?.nonce ?? '')
    await shows(visitor.conversation, ['question', 'never mind', 'newer reply', 'reply'])
    await shows(after.conversation, ['question', 'never mind', 'newer reply', 'reply'])
  })

  it("sends an admin's waiting reply after a reload on another page, when the visitor has not written since", {
    timeout: 60_000,
  }, async () => {
    const browser = new Browser()
    const visitor = openVisitor(origin)
    visitor.conversation.send('question')
    await shows(visitor.conversation, ['question'])
    const before = await openAdmin(origin, visitor.clientId, { browser })
    await shows(before.conversation, ['question'])
    before.rest.cut = true
    before.chat.stop()
    before.conversation.send('reply')
    before.tab.close()
    await openAdmin(origin, randomText(20), { browser })
    await shows(visitor.conversation, ['question', 'reply'])
  })

  it.each([
    ['closed', (proxy: TcpProxy) => proxy.refuse()],
    ['silent', (proxy: TcpProxy) => proxy.silence()],
  ])('shows an admin with a %s socket what arrived before their reply is sent', async (_state, cut) => {
    const proxy = await proxyTo(server)
    const visitor = openVisitor(origin)
    visitor.conversation.send('question')
    const admin = await openAdmin(origin, visitor.clientId, { proxy })
    await shows(admin.conversation, ['question'])
    await isUp(admin.chat)
    cut(proxy)
    visitor.conversation.send('one more thing')
    await shows(visitor.conversation, ['question', 'one more thing'])
    let shownAtPost: string[] | null = null
    admin.rest.onPost = () => {
      shownAtPost ??= texts(admin.conversation)
    }
    admin.conversation.send('reply')
    // Stored, or held if the page noticed the cut before.
    const sending = () => admin.conversation.getState().pending.filter(({ state }) => state === 'sending')
    await vi.waitFor(() => expect(sending()).toEqual([]), WAIT)
    expect(shownAtPost ?? texts(admin.conversation)).toContain('one more thing')
  })
})

describe('engine with a server that restarts', () => {
  let data = temporaryDir('engine-restart')
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ dataDir: data.path })
  }, 60_000)
  afterAll(async () => {
    await server.stop('SIGKILL')
    data.remove()
  })

  async function restart(env: Record<string, string> = {}, signal: NodeJS.Signals = 'SIGTERM') {
    await server.stop(signal)
    server = await startServer({ dataDir: data.path, port: server.port, env })
  }

  it('loses and repeats no message when the server is killed', { timeout: 120_000 }, async () => {
    const visitor = openVisitor(server.origin)
    const admin = await openAdmin(server.origin, visitor.clientId)
    expectConsistent(visitor.conversation)
    expectConsistent(admin.conversation)
    await isUp(admin.chat)
    const typed = numbered('text', 60)
    for (const text of typed) visitor.conversation.send(text)
    await vi.waitFor(() => expect(texts(visitor.conversation).length).toBeGreaterThan(5), WAIT)
    await restart({}, 'SIGKILL')
    await shows(visitor.conversation, typed)
    await shows(admin.conversation, typed)
    expect(await storedTexts(server.origin, visitor.clientId)).toEqual(typed)
  })

  it('follows the server from push to polling and back, without losing a message', {
    timeout: 120_000,
  }, async () => {
    const visitor = openVisitor(server.origin)
    const admin = await openAdmin(server.origin, visitor.clientId)
    visitor.conversation.send('pushed')
    await shows(admin.conversation, ['pushed'])
    await restart({ CHAT_TRANSPORT: 'polling' })
    visitor.conversation.send('polled')
    await shows(admin.conversation, ['pushed', 'polled'])
    await isPolling(visitor.chat)
    await isPolling(admin.chat)
    await restart()
    admin.conversation.send('pushed again')
    await shows(visitor.conversation, ['pushed', 'polled', 'pushed again'])
    await isUp(visitor.chat)
    await isUp(admin.chat)
  })

  it('drops an erased history, and sends pending messages into the new one', {
    timeout: 120_000,
  }, async () => {
    const visitor = openVisitor(server.origin)
    visitor.conversation.send('old')
    await shows(visitor.conversation, ['old'])
    await server.stop()
    visitor.conversation.send('new')
    data.remove()
    data = temporaryDir('engine-restart')
    server = await startServer({ dataDir: data.path, port: server.port })
    await shows(visitor.conversation, ['new'])
    expect(await storedTexts(server.origin, visitor.clientId)).toEqual(['new'])
  })
})
