import { AppError } from '@proctorpass/shared/errors'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeWithImap } from '../../../test/imap-server.ts'
import { rawMail } from '../../../test/mails.ts'
import { startServer, temporaryDir } from '../../../test/server-process.ts'
import { type ImapProcess, startImap } from '../../../test/servers/imap-process.ts'
import { createKeyedHash } from '../../credentials/store-secret.ts'
import { readEnv } from '../../env/env.ts'
import { createCounters } from '../../limits/counters.ts'
import { createLimits } from '../../limits/limits.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import { createLinks } from '../links.ts'
import { createLease } from './lease.ts'
import { createReader } from './reader.ts'

const VISITOR = 'v'.repeat(20)
const MAILS = 12

describe('the lease of the mailbox', () => {
  it('is of one node, until it gives it back or another one has seen no renewal for half a minute', async () => {
    const { documents, close } = openSqlite(':memory:')
    onTestFinished(close)
    let monotonic = 0
    const nodeWith = (name: string, now: number) =>
      createLease(
        documents,
        name,
        () => now,
        () => monotonic,
      )
    // Their clocks differ by a minute.
    const [ann, ben] = [nodeWith('ann', 1_000_000), nodeWith('ben', 1_060_000)]
    const position = (uid: number) => ({ uidValidity: '1', uid })
    expect([await ann.take(), await ben.take()]).toEqual([true, false])
    await ann.move(position(3))
    const benLooks = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        monotonic += 5_000
        expect(await ben.take()).toBe(false)
      }
    }
    await benLooks(6)
    expect(await ann.take()).toBe(true)
    // The first of them finds it renewed.
    await benLooks(6)
    monotonic += 5_000
    expect([await ben.take(), ben.position]).toEqual([true, position(3)])
    await expect(ann.move(position(4))).rejects.toThrow('Another node')
    expect(await ann.take()).toBe(false)
    await Promise.all([ben.move(position(5)), ben.take(), ben.move(position(6))])
    await ben.release()
    expect([await ann.take(), ann.position]).toEqual([true, position(6)])
  })
})

describeWithImap('the reader of a mailbox', () => {
  let imap: ImapProcess
  // A new mailbox each: a killed reader leaves mails that are stored and not flagged.
  beforeEach(async () => {
    imap = await startImap()
  }, 60_000)
  afterEach(() => imap.close())

  it('loses nothing and stores nothing twice in a process that is killed again and again', async () => {
    const dir = temporaryDir('killed')
    onTestFinished(dir.remove)
    const env = {
      ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@acme.example', INBOUND_URL: imap.url },
      ...{ REPLY_ADDRESS: 'support@acme.example', INBOUND_AUTHSERV: 'mx.acme.example', LOG_LEVEL: 'info' },
    }
    readEnv({ ...env, DATA_DIR: dir.path })
    let storage = openSqlite(`${dir.path}/chat.sqlite`)
    await storage.messages.append({
      ...{ clientId: VISITOR, senderId: VISITOR, message: 'hello?', nonce: 'first-message', at: Date.now() },
    })
    await storage.visitors.update(VISITOR, { email: 'sam@example.org' }, { by: null, at: Date.now() })
    const { epoch = '' } = (await storage.conversations.find(VISITOR)) ?? {}
    const { reply } = await createLinks({
      ...{ storage, hash: createKeyedHash(storage.documents), answersByMail: true, now: Date.now },
      limits: createLimits({ enabled: false, counters: createCounters(null) }),
    }).create({ clientId: VISITOR, epoch, addressId: null, mailId: 'a reply' })
    await storage.close()
    for (let index = 0; index < MAILS; index += 1) {
      await imap.deliver(rawMail({ to: `support+${reply}@acme.example`, body: `${index}` }))
    }
    // A mail that is read while its process is killed is read again by the next one.
    const read = new Set<string>()
    const note = (output: string) => {
      for (const [, uid = ''] of output.matchAll(/"uid":(\d+),[^\n]*"msg":"mail read"/g)) read.add(uid)
    }
    while (read.size < MAILS) {
      const server = await startServer({ dataDir: dir.path, env })
      const until = Math.min(read.size + 4, MAILS)
      const look = () => {
        note(server.output())
        expect(read.size).toBeGreaterThanOrEqual(until)
      }
      await vi.waitFor(look, { timeout: 30_000, interval: 5 })
      await server.stop('SIGKILL')
      note(server.output())
    }
    storage = openSqlite(`${dir.path}/chat.sqlite`)
    const page = await storage.messages.page(VISITOR, { limit: 200 })
    const texts = page?.messages.map(({ message }) => message) ?? []
    expect(texts).toEqual(['hello?', ...Array.from({ length: MAILS }, (_, index) => `${index}`)])
    await storage.close()
  }, 120_000)

  it('leaves mails that were read before its first reading, also when that breaks off', async () => {
    const { documents, close } = openSqlite(':memory:')
    onTestFinished(close)
    const dir = temporaryDir('first')
    onTestFinished(dir.remove)
    const { inbound } = readEnv({
      ...{ DATA_DIR: dir.path, SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a@b.example' },
      ...{ INBOUND_URL: imap.url, REPLY_ADDRESS: 'support@acme.example' },
    })
    if (inbound === null) throw new Error('It is set.')
    await imap.deliver(rawMail({ subject: 'one' }))
    await imap.deliver(rawMail({ subject: 'read' }), { flags: ['\\Seen'] })
    await imap.deliver(rawMail({ subject: 'two' }))
    const asked: string[] = []
    const reader = createReader({
      ...{ settings: inbound, now: Date.now, lease: createLease(documents, 'ann', Date.now) },
      log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
      async take(raw) {
        const subject = /Subject: (.*)\r/.exec(Buffer.from(raw).toString())?.[1] ?? ''
        asked.push(subject)
        if (asked.length === 2) throw new AppError('unavailable', 'The store is away.')
        return 'message'
      },
    })
    reader.start()
    onTestFinished(() => reader.close())
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(2), 20_000)
    expect(asked).toEqual(['one', 'two', 'two'])
    // Later a person may read a mail first.
    await imap.deliver(rawMail({ subject: 'three' }), { flags: ['\\Seen'] })
    await vi.waitFor(() => expect(asked.slice(3)).toEqual(['three']), 10_000)
  }, 60_000)

  it('reads on one of two nodes, and on the other when that ends', async () => {
    const { documents, close } = openSqlite(':memory:')
    onTestFinished(close)
    const dir = temporaryDir('two')
    onTestFinished(dir.remove)
    const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const { inbound } = readEnv({
      ...{ DATA_DIR: dir.path, SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a@b.example' },
      ...{ INBOUND_URL: imap.url, REPLY_ADDRESS: 'support@acme.example' },
    })
    if (inbound === null) throw new Error('It is set.')
    const taken: string[] = []
    const leases = ['ann', 'ben'].map((node) => createLease(documents, node, Date.now))
    const nodes = ['ann', 'ben'].map((node, index) =>
      createReader({
        ...{ settings: inbound, log, now: Date.now, lease: leases[index] as (typeof leases)[number] },
        async take(raw) {
          taken.push(`${node} ${/Subject: (.*)\r/.exec(Buffer.from(raw).toString())?.[1]}`)
          return 'message'
        },
      }),
    )
    for (const node of nodes) node.start()
    await vi.waitFor(() => expect(log.info).toHaveBeenCalledWith({}, 'mailbox connected'), 10_000)
    await imap.deliver(rawMail({ subject: 'one' }))
    await vi.waitFor(() => expect(taken).toHaveLength(1), 8_000)
    const [first] = taken
    const reading = first === 'ann one' ? 0 : 1
    // A node that ends before it has moved its place leaves the mail to be read again.
    await vi.waitFor(() => expect(leases[reading]?.position?.uid).toBe(1), 8_000)
    await nodes[reading]?.close()
    await imap.deliver(rawMail({ subject: 'two' }))
    await vi.waitFor(() => expect(taken).toEqual([first, `${['ann', 'ben'][1 - reading]} two`]), 15_000)
    await nodes[1 - reading]?.close()
  }, 60_000)
})
