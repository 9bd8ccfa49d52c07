// @vitest-environment node
import { MESSAGE_MAX } from '@proctorpass/shared/limits'
import type { PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ServerProcess, startServer, temporaryDir } from '../../../../api/test/server-process.ts'
import { type AdminChat, createAdminChat, createVisitorChat, type VisitorChat } from './chat.ts'
import type { ChatLink } from './link.ts'
import { createOutbox } from './outbox.ts'
import { randomText } from './random-text.ts'
import { BadLine } from './testing/bad-line.ts'
import { Browser, fullStorage, type TestTab } from './testing/browser.ts'
import { type RestLine, restOf, signIn, storedTexts } from './testing/people.ts'
import type { Conversation } from './types.ts'

const CONFIG: PublicConfig['chat'] = { transport: 'push', pollMs: 100, unreadPollMs: 1_000 }
/** Longer than an acknowledgement is waited for, a socket is hoped for and a pause between tries lasts. */
const PATIENCE = { timeout: 25_000, interval: 20 }

const texts = (conversation: Conversation) => conversation.getState().messages.map(({ message }) => message)
const waiting = (conversation: Conversation) => conversation.getState().pending.map(({ message }) => message)

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

interface Person<Chat> {
  chat: Chat
  conversation: Conversation
  tab: TestTab
  rest: RestLine
}

function visitor(
  origin: string,
  options: {
    browser?: Browser
    tab?: TestTab
    clientId?: string
    key?: string | null
    line?: BadLine
    config?: PublicConfig['chat']
  } = {},
): Person<VisitorChat> & { clientId: string } {
  const { browser = new Browser(), clientId = randomText(20), key = null, line, config = CONFIG } = options
  const tab = options.tab ?? browser.open()
  const rest = restOf(origin)
  const chat = createVisitorChat({
    config,
    visitor: { clientId, key },
    tab,
    request: rest.request,
    origin: line?.origin ?? origin,
  })
  ending.push(() => chat.stop())
  chat.start()
  return { chat, conversation: chat.conversation, tab, rest, clientId }
}

async function admin(
  origin: string,
  clientId: string,
  options: { browser?: Browser; line?: BadLine; config?: PublicConfig['chat']; reads?: boolean } = {},
): Promise<Person<AdminChat>> {
  const { browser = new Browser(), line, config = CONFIG, reads = true } = options
  const { accessToken, user_Id: userId } = await signIn(origin)
  const tab = browser.open()
  const rest = restOf(origin, accessToken)
  const chat = createAdminChat({
    config,
    userId,
    tab,
    getToken: async () => accessToken,
    request: rest.request,
    origin: line?.origin ?? origin,
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
    // A reader who has not written is told Connected before there is a socket.
    expect((chat.link as ChatLink).push.isUp).toBe(true)
  }, PATIENCE)
const isPolling = (chat: VisitorChat | AdminChat) =>
  vi.waitFor(() => {
    expect(chat.link.getState()).toMatchObject({ connection: 'connected', via: 'polling', trouble: null })
  }, PATIENCE)
const shows = (conversation: Conversation, expected: string[]) =>
  vi.waitFor(() => {
    expect(texts(conversation)).toEqual(expected)
    expect(waiting(conversation)).toEqual([])
  }, PATIENCE)

/** Nothing is ever shown twice, be it stored and waiting or two times stored, and nothing out of order. */
function watch(conversation: Conversation) {
  const wrong: unknown[] = []
  conversation.subscribe(() => {
    const { messages, pending } = conversation.getState()
    const nonces = [...messages, ...pending].map(({ nonce }) => nonce)
    if (new Set(nonces).size !== nonces.length) wrong.push(nonces)
    if (messages.some(({ seq }, index) => seq <= (messages[index - 1]?.seq ?? 0))) wrong.push(messages)
  })
  ending.push(() => expect(wrong).toEqual([]))
}

async function lineTo(server: ServerProcess): Promise<BadLine> {
  const line = await BadLine.to(server.port)
  ending.push(() => line.close())
  return line
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`)

describe('engine against the real server', () => {
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

  it('lets two people talk, each word pushed and in order', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    const helper = await admin(origin, guest.clientId)
    watch(guest.conversation)
    watch(helper.conversation)
    const heard: string[] = []
    helper.conversation.onArrived(({ messages, live }) => {
      if (live) heard.push(...messages.map(({ message }) => message))
    })
    await isUp(helper.chat)
    const asked = numbered('question', 12)
    for (const text of asked) guest.conversation.send(text)
    expect(waiting(guest.conversation)).toEqual(asked)
    await shows(guest.conversation, asked)
    await shows(helper.conversation, asked)
    expect(heard).toEqual(asked)
    helper.conversation.send('  answer ')
    await shows(guest.conversation, [...asked, 'answer'])
    await shows(helper.conversation, [...asked, 'answer'])
    expect(heard).toEqual(asked)
    expect(await storedTexts(origin, guest.clientId)).toEqual([...asked, 'answer'])
  })

  it('tells of reading, typing and presence', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    guest.conversation.send('hello')
    const helper = await admin(origin, guest.clientId)
    await shows(helper.conversation, ['hello'])
    await isUp(guest.chat)
    await vi.waitFor(() => {
      expect(guest.conversation.getState().peerOnline).toBe(true)
      expect(helper.conversation.getState().peerOnline).toBe(true)
    }, PATIENCE)
    helper.conversation.markSeen(1)
    await vi.waitFor(() => expect(guest.conversation.getState().read.admin).toBe(1), PATIENCE)
    expect(helper.conversation.getState().read.admin).toBe(1)
    helper.conversation.setTyping(true)
    await vi.waitFor(() => expect(guest.conversation.getState().adminTyping).toBe(true), PATIENCE)
    helper.conversation.send('there')
    await shows(guest.conversation, ['hello', 'there'])
    expect(guest.conversation.getState().adminTyping).toBe(false)
  })

  it('tells of typing that began before the socket was up', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    guest.conversation.send('hello')
    await isUp(guest.chat)
    const helper = await admin(origin, guest.clientId)
    helper.conversation.setTyping(true)
    await vi.waitFor(() => expect(guest.conversation.getState().adminTyping).toBe(true), PATIENCE)
    helper.conversation.setTyping(false)
    await vi.waitFor(() => expect(guest.conversation.getState().adminTyping).toBe(false), PATIENCE)
  })

  it('holds no socket for a reader who has never written, until they touch it', {
    timeout: 60_000,
  }, async () => {
    const line = await lineTo(server)
    const guest = visitor(origin, { line })
    await vi.waitFor(() => expect(guest.conversation.getState().loaded).toBe(true), PATIENCE)
    expect(guest.chat.link.getState()).toEqual({ connection: 'connected', trouble: null, via: 'push' })
    expect(line.made).toBe(0)
    guest.chat.touch()
    await vi.waitFor(() => expect(line.open).toBe(1), PATIENCE)
    await isUp(guest.chat)
  })

  it('opens the socket at once where a conversation exists', { timeout: 60_000 }, async () => {
    const before = visitor(origin)
    before.conversation.send('hello')
    await shows(before.conversation, ['hello'])
    const line = await lineTo(server)
    visitor(origin, { line, clientId: before.clientId })
    await vi.waitFor(() => expect(line.open).toBe(1), PATIENCE)
  })

  it('never sends the same text twice from two tabs of one browser', { timeout: 60_000 }, async () => {
    const browser = new Browser()
    const one = visitor(origin, { browser })
    const other = visitor(origin, { browser, clientId: one.clientId })
    for (const { conversation } of [one, other]) watch(conversation)
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

  it('sends once without locks too', { timeout: 60_000 }, async () => {
    const browser = new Browser()
    const one = visitor(origin, { tab: browser.open({ locks: null }) })
    const other = visitor(origin, { tab: browser.open({ locks: null }), clientId: one.clientId })
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
    const line = await lineTo(server)
    const guest = visitor(origin, { line })
    guest.conversation.send('one')
    await shows(guest.conversation, ['one'])
    await isUp(guest.chat)
    guest.rest.posted.length = 0
    let downAfter: string[] | null = null
    guest.chat.link.subscribe(() => {
      if (guest.chat.link.getState().connection === 'connecting') downAfter ??= texts(guest.conversation)
    })
    line.mute()
    guest.conversation.send('two')
    await shows(guest.conversation, ['one', 'two'])
    expect(guest.rest.posted).toEqual(['two'])
    expect(downAfter).toEqual(['one'])
    await isUp(guest.chat)
    expect(line.made).toBe(2)
    expect(await storedTexts(origin, guest.clientId)).toEqual(['one', 'two'])
  })

  it('notices a silent socket when the page wakes', { timeout: 60_000 }, async () => {
    const line = await lineTo(server)
    const guest = visitor(origin, { line })
    guest.conversation.send('one')
    await isUp(guest.chat)
    await shows(guest.conversation, ['one'])
    line.mute()
    await restOf(origin).request('/chat', {
      method: 'POST',
      body: { clientId: guest.clientId, message: 'from elsewhere' },
    })
    guest.tab.events.dispatchEvent(new Event('visibilitychange'))
    await shows(guest.conversation, ['one', 'from elsewhere'])
    await isUp(guest.chat)
  })

  it('keeps what is typed offline through a reload, and sends it once in order', {
    timeout: 60_000,
  }, async () => {
    const browser = new Browser()
    const line = await lineTo(server)
    const before = visitor(origin, { browser, line })
    before.conversation.send('one')
    await shows(before.conversation, ['one'])
    before.rest.cut = true
    line.cut()
    before.tab.goOffline()
    expect(before.chat.link.getState()).toMatchObject({
      connection: 'connecting',
      trouble: 'You are offline. Your messages are kept and will be sent when you are back.',
    })
    const typed = numbered('offline', 3)
    for (const text of typed) before.conversation.send(text)
    before.chat.stop()
    before.tab.close()

    const after = visitor(origin, { browser, line, clientId: before.clientId })
    after.rest.cut = true
    expect(waiting(after.conversation)).toEqual(typed)
    await vi.waitFor(() => {
      expect(after.chat.link.getState().trouble).toBe('We cannot reach the server. We keep trying.')
    }, PATIENCE)
    after.rest.cut = false
    line.mend()
    after.tab.goOnline()
    await shows(after.conversation, ['one', ...typed])
    await isUp(after.chat)
    expect(await storedTexts(origin, before.clientId)).toEqual(['one', ...typed])
  })

  it('polls when no socket can be had, and goes back', { timeout: 60_000 }, async () => {
    const line = await lineTo(server)
    line.cut()
    const guest = visitor(origin, { line })
    const helper = await admin(origin, guest.clientId, { line })
    guest.conversation.send('one')
    await isPolling(guest.chat)
    await isPolling(helper.chat)
    await shows(helper.conversation, ['one'])
    helper.conversation.send('two')
    await shows(guest.conversation, ['one', 'two'])
    line.mend()
    await isUp(guest.chat)
    await isUp(helper.chat)
    guest.conversation.send('three')
    await shows(helper.conversation, ['one', 'two', 'three'])
  })

  it('learns that operations want push where no conversation is polled', { timeout: 60_000 }, async () => {
    const helper = await admin(origin, randomText(20), {
      config: { ...CONFIG, transport: 'polling' },
      reads: false,
    })
    await isUp(helper.chat)
  })

  it('keeps a refused text with its reason, and lets the others pass', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    const long = 'x'.repeat(MESSAGE_MAX + 1)
    guest.conversation.send(long)
    guest.conversation.send('short')
    await vi.waitFor(() => expect(texts(guest.conversation)).toEqual(['short']), PATIENCE)
    const [refused] = guest.conversation.getState().pending
    expect(refused).toMatchObject({
      message: long,
      state: 'refused',
      reason: expect.stringContaining('4,000'),
    })
    guest.conversation.retry(refused?.nonce ?? '')
    expect(guest.conversation.getState().pending[0]).toMatchObject({ state: 'sending', reason: null })
    await vi.waitFor(() => expect(guest.conversation.getState().pending[0]?.state).toBe('refused'), PATIENCE)
    const [again] = guest.conversation.getState().pending
    expect(again?.nonce).not.toBe(refused?.nonce)
    guest.conversation.discard(again?.nonce ?? '')
    expect(waiting(guest.conversation)).toEqual([])
    expect(await storedTexts(origin, guest.clientId)).toEqual(['short'])
  })

  it('sends by REST what is too large for a frame', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    guest.conversation.send('small')
    await isUp(guest.chat)
    await shows(guest.conversation, ['small'])
    let changes = 0
    guest.chat.link.subscribe(() => changes++)
    const large = '🎓'.repeat(MESSAGE_MAX)
    guest.conversation.send(large)
    await shows(guest.conversation, ['small', large])
    expect(guest.rest.posted).toContain(large)
    expect(changes).toBe(0)
  })

  it.each([
    ['full', fullStorage()],
    ['disabled', null],
  ])('works with a storage that is %s', { timeout: 60_000 }, async (_, storage) => {
    const guest = visitor(origin, { tab: new Browser().open({ storage }) })
    guest.rest.cut = true
    guest.conversation.send('one')
    guest.conversation.send('two')
    expect(waiting(guest.conversation)).toEqual(['one', 'two'])
    guest.rest.cut = false
    guest.tab.goOnline()
    await shows(guest.conversation, ['one', 'two'])
  })

  describe.each(['push', 'polling'] as const)('with a key, in %s', (transport) => {
    const config = { ...CONFIG, transport }
    const key = () => randomText(43)

    it('goes on without those who only know the clientId', { timeout: 60_000 }, async () => {
      const mine = { key: key(), config }
      const guest = visitor(origin, mine)
      guest.conversation.send('mine')
      await shows(guest.conversation, ['mine'])
      const { clientId } = guest
      await expect(storedTexts(origin, clientId)).rejects.toMatchObject({ code: 'forbidden' })
      const strangers = [
        visitor(origin, { clientId, config }),
        visitor(origin, { clientId, key: key(), config }),
      ]
      const refused = strangers.map(({ chat }) => new Promise<void>((resolve) => chat.onRefused(resolve)))
      for (const { conversation } of strangers) conversation.send('not mine')
      await Promise.all(refused)
      const tab = visitor(origin, { ...mine, clientId })
      await shows(tab.conversation, ['mine'])
      guest.conversation.send('more')
      await shows(tab.conversation, ['mine', 'more'])
      for (const { conversation } of strangers) {
        expect([texts(conversation), waiting(conversation)]).toEqual([[], ['not mine']])
      }
      expect(await storedTexts(origin, clientId, mine.key)).toEqual(['mine', 'more'])
    })

    it('takes all that was typed into another conversation when it is not let in', {
      timeout: 60_000,
    }, async () => {
      const before = visitor(origin, { key: key(), config })
      before.conversation.send('before')
      await shows(before.conversation, ['before'])
      const { clientId } = before
      // The key is lost, as when a person clears a part of what is stored.
      const lost = visitor(origin, { clientId, key: key(), config, browser: new Browser() })
      const refused = new Promise<void>((resolve) => lost.chat.onRefused(resolve))
      for (const text of ['one', 'two', 'three']) lost.conversation.send(text)
      await refused
      expect(waiting(lost.conversation)).toEqual(['one', 'two', 'three'])

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

  it('locks a conversation of an older page with its next message', { timeout: 60_000 }, async () => {
    const clientId = randomText(20)
    const older = visitor(origin, { clientId })
    older.conversation.send('without a key')
    await shows(older.conversation, ['without a key'])
    older.chat.stop()
    const key = randomText(43)
    const newer = visitor(origin, { clientId, key })
    await shows(newer.conversation, ['without a key'])
    expect(await storedTexts(origin, clientId)).toEqual(['without a key'])
    newer.conversation.send('with a key')
    await shows(newer.conversation, ['without a key', 'with a key'])
    await expect(storedTexts(origin, clientId)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('keeps the order while the clock jumps', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    const clock = vi.spyOn(Date, 'now')
    ending.push(() => clock.mockRestore())
    const typed = numbered('text', 6)
    const start = 1_790_000_000_000
    typed.forEach((text, index) => {
      clock.mockReturnValue(start + (index % 2 === 0 ? -1 : 1) * index * 7_200_000)
      guest.conversation.send(text)
    })
    await shows(guest.conversation, typed)
  })

  it('reads page by page until level, and older pages on demand', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    guest.conversation.send('first')
    await shows(guest.conversation, ['first'])
    await isUp(guest.chat)
    guest.chat.stop()
    const missed = numbered('missed', 260)
    const { request } = restOf(origin)
    for (const message of missed) {
      await request<PostedMessage>('/chat', { method: 'POST', body: { clientId: guest.clientId, message } })
    }
    guest.chat.start()
    await shows(guest.conversation, ['first', ...missed])

    const fresh = visitor(origin, { clientId: guest.clientId })
    await vi.waitFor(() => expect(fresh.conversation.getState().hasOlder).toBe(true), PATIENCE)
    while (fresh.conversation.getState().hasOlder) await fresh.conversation.loadOlder()
    expect(texts(fresh.conversation)).toEqual(['first', ...missed])
  })

  it('reads long messages through pages that end by their bytes', { timeout: 60_000 }, async () => {
    const guest = visitor(origin)
    guest.conversation.send('first')
    await shows(guest.conversation, ['first'])
    await isUp(guest.chat)
    guest.chat.stop()
    const missed = numbered('missed', 40).map((text) => `${text} ${'😀'.repeat(MESSAGE_MAX - 20)}`)
    const { request } = restOf(origin)
    for (const message of missed) {
      await request<PostedMessage>('/chat', { method: 'POST', body: { clientId: guest.clientId, message } })
    }
    guest.chat.start()
    await shows(guest.conversation, ['first', ...missed])

    const fresh = visitor(origin, { clientId: guest.clientId })
    await vi.waitFor(() => expect(fresh.conversation.getState().hasOlder).toBe(true), PATIENCE)
    expect(texts(fresh.conversation).at(-1)).toBe(missed.at(-1))
    while (fresh.conversation.getState().hasOlder) await fresh.conversation.loadOlder()
    expect(texts(fresh.conversation)).toEqual(['first', ...missed])
  })

  it("holds an admin's waiting reply when the visitor has written since", { timeout: 60_000 }, async () => {
    const browser = new Browser()
    const guest = visitor(origin)
    guest.conversation.send('question')
    await shows(guest.conversation, ['question'])
    const before = await admin(origin, guest.clientId, { browser })
    await shows(before.conversation, ['question'])
    before.rest.cut = true
    before.chat.stop()
    before.conversation.send('reply')
    before.tab.close()
    guest.conversation.send('never mind')
    await shows(guest.conversation, ['question', 'never mind'])

    const after = await admin(origin, guest.clientId, { browser })
    await vi.waitFor(() => {
      expect(texts(after.conversation)).toEqual(['question', 'never mind'])
      expect(after.conversation.getState().pending).toMatchObject([{ message: 'reply', state: 'held' }])
    }, PATIENCE)
    after.conversation.send('newer reply')
    await vi.waitFor(() => expect(texts(guest.conversation)).toContain('newer reply'), PATIENCE)
    after.conversation.retry(after.conversation.getState().pending[0]?.nonce ?? '')
    await shows(guest.conversation, ['question', 'never mind', 'newer reply', 'reply'])
    await shows(after.conversation, ['question', 'never mind', 'newer reply', 'reply'])
  })

  it("sends an admin's waiting reply from wherever the admin is, when nobody wrote since", {
    timeout: 60_000,
  }, async () => {
    const browser = new Browser()
    const guest = visitor(origin)
    guest.conversation.send('question')
    await shows(guest.conversation, ['question'])
    const before = await admin(origin, guest.clientId, { browser })
    await shows(before.conversation, ['question'])
    before.rest.cut = true
    before.chat.stop()
    before.conversation.send('reply')
    before.tab.close()
    await admin(origin, randomText(20), { browser })
    await shows(guest.conversation, ['question', 'reply'])
  })

  it('shows an admin what arrived before their reply is sent', { timeout: 60_000 }, async () => {
    const line = await lineTo(server)
    const guest = visitor(origin)
    guest.conversation.send('question')
    const helper = await admin(origin, guest.clientId, { line })
    await shows(helper.conversation, ['question'])
    await isUp(helper.chat)
    line.cut()
    guest.conversation.send('one more thing')
    await shows(guest.conversation, ['question', 'one more thing'])
    const shownBefore: string[][] = []
    helper.conversation.subscribe(() => {
      if (!texts(helper.conversation).includes('reply')) shownBefore.push(texts(helper.conversation))
    })
    helper.conversation.send('reply')
    await vi.waitFor(() => expect(shownBefore.at(-1)).toEqual(['question', 'one more thing']), PATIENCE)
  })
})

describe('engine against a server that comes and goes', () => {
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

  it('loses and repeats nothing when the server is killed', { timeout: 120_000 }, async () => {
    const guest = visitor(server.origin)
    const helper = await admin(server.origin, guest.clientId)
    watch(guest.conversation)
    watch(helper.conversation)
    await isUp(helper.chat)
    const typed = numbered('text', 60)
    for (const text of typed) guest.conversation.send(text)
    await vi.waitFor(() => expect(texts(guest.conversation).length).toBeGreaterThan(5), PATIENCE)
    await restart({}, 'SIGKILL')
    await shows(guest.conversation, typed)
    await shows(helper.conversation, typed)
    expect(await storedTexts(server.origin, guest.clientId)).toEqual(typed)
  })

  it('follows operations from push to polling and back, without a lost message', {
    timeout: 120_000,
  }, async () => {
    const guest = visitor(server.origin)
    const helper = await admin(server.origin, guest.clientId)
    guest.conversation.send('pushed')
    await shows(helper.conversation, ['pushed'])
    await restart({ CHAT_TRANSPORT: 'polling' })
    guest.conversation.send('polled')
    await shows(helper.conversation, ['pushed', 'polled'])
    await isPolling(guest.chat)
    await isPolling(helper.chat)
    await restart()
    helper.conversation.send('pushed again')
    await shows(guest.conversation, ['pushed', 'polled', 'pushed again'])
    await isUp(guest.chat)
    await isUp(helper.chat)
  })

  it('forgets a history that was erased, and sends what waits into the new one', {
    timeout: 120_000,
  }, async () => {
    const guest = visitor(server.origin)
    guest.conversation.send('old')
    await shows(guest.conversation, ['old'])
    await server.stop()
    guest.conversation.send('new')
    data.remove()
    data = temporaryDir('engine-restart')
    server = await startServer({ dataDir: data.path, port: server.port })
    await shows(guest.conversation, ['new'])
    expect(await storedTexts(server.origin, guest.clientId)).toEqual(['new'])
  })
})
