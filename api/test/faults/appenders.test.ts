import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openStores } from '../../src/storage/open-storage.ts'
import { describeOnMongo } from '../mongo-server.ts'
import type { Acknowledged } from './appender.ts'
import { createRandom } from './random.ts'

const APPENDER = fileURLToPath(new URL('./appender.ts', import.meta.url))
const VISITOR = 'Visitor0000000000001'
const SENDERS = [
  { name: 'visitor-phone', senderId: VISITOR },
  { name: 'visitor-laptop', senderId: VISITOR },
  { name: 'admin-one', senderId: 'a'.repeat(24) },
  { name: 'admin-two', senderId: 'b'.repeat(24) },
]
const KILLS_EACH = 3
const BETWEEN_KILLS = 12

describeOnMongo('four processes that append to one conversation', (freshUrl) => {
  it('leave no gap, no duplicate and correct totals, although each is killed several times', {
    timeout: 900_000,
  }, async () => {
    const url = freshUrl()
    const acknowledged = new Map<string, number>()
    const changed: string[] = []
    const random = createRandom(20_261_121, 'appenders')

    const run = (sender: (typeof SENDERS)[number], from: number, upTo: number): ChildProcess => {
      const args = Object.entries({ url, clientId: VISITOR, ...sender, from, upTo })
      const child = fork(
        APPENDER,
        args.map(([key, value]) => `--${key}=${value}`),
        { execArgv: ['--disable-warning=ExperimentalWarning'] },
      )
      onTestFinished(() => void child.kill('SIGKILL'))
      child.on('message', ({ nonce, seq }: Acknowledged) => {
        if ((acknowledged.get(nonce) ?? seq) !== seq) changed.push(nonce)
        acknowledged.set(nonce, seq)
      })
      return child
    }
    const live = async (sender: (typeof SENDERS)[number]) => {
      const done = () => [...acknowledged.keys()].filter((nonce) => nonce.startsWith(sender.name)).length
      for (let kill = 1; kill <= KILLS_EACH; kill++) {
        const child = run(sender, done(), Number.MAX_SAFE_INTEGER)
        const ended = once(child, 'exit')
        await vi.waitFor(() => expect(done()).toBeGreaterThanOrEqual(kill * BETWEEN_KILLS), {
          timeout: 200_000,
          interval: 5,
        })
        // At a random moment after an acknowledgement.
        await pause(random.integer(0, 15))
        child.kill('SIGKILL')
        expect(await ended).toEqual([null, 'SIGKILL'])
      }
      // An admin's unfinished message is left to the sweep; a visitor comes back and repeats it.
      if (sender.senderId === VISITOR) {
        const [code] = await once(run(sender, done(), done() + 5), 'exit')
        expect(code).toBe(0)
      }
    }
    await Promise.all(SENDERS.map(live))

    const { storage } = await openStores({ dataDir: '', mongodbUrl: url })
    onTestFinished(() => storage.close())
    const messages: Message[] = []
    for (let more = true; more; ) {
      const page = await storage.messages.page(VISITOR, { after: messages.length, limit: 100 })
      messages.push(...(page?.messages ?? []))
      more = page?.more ?? false
    }
    expect(changed).toEqual([])
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
    expect(new Set(messages.map(({ nonce }) => nonce)).size).toBe(messages.length)
    const seqs = new Map(messages.map(({ nonce, seq }) => [nonce, seq]))
    expect([...acknowledged].filter(([nonce, seq]) => seqs.get(nonce) !== seq)).toEqual([])
    // At most one message of each was stored without an acknowledgement.
    expect(messages.length - acknowledged.size).toBeLessThanOrEqual(SENDERS.length)
    for (const { name } of SENDERS) {
      const own = messages.map(({ nonce }) => nonce).filter((nonce) => nonce.startsWith(name))
      expect(own).toEqual(own.toSorted())
    }

    const newest = messages.at(-1)
    await vi.waitFor(async () => {
      const state = await storage.conversations.find(VISITOR)
      const read = state?.read.admin ?? 0
      const unread = messages.filter(({ senderId, seq }) => senderId === VISITOR && seq > read).length
      expect(state).toMatchObject({ seq: messages.length, adminUnread: unread })
      expect(await storage.conversations.totalAdminUnread()).toBe(unread)
    })
    const { conversations } = await storage.conversations.list({ limit: 10 })
    expect(conversations.map(({ lastMessage }) => lastMessage)).toEqual([newest])
  })
})
