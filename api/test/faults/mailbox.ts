import { setTimeout as pause } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { Message, Page, PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { Activity, ActivityPage } from '@proctorpass/shared/schemas/inbox'
import { createCounters } from '../../src/limits/counters.ts'
import { createLimits } from '../../src/limits/limits.ts'
import { createLinks } from '../../src/mail/links.ts'
import { openStorage, type StoreLocation } from '../../src/storage/open-storage.ts'
import { API_PREFIX, newId, signInWhenReady, untilAnswered } from '../chat-client.ts'
import { rawMail } from '../mails.ts'
import { hasImap, type ImapProcess, startImap } from '../servers/imap-process.ts'
import { startSmtpServer, type TestSmtpServer } from '../smtp-server.ts'
import { type Cut, TcpProxy } from '../tcp-proxy.ts'
import type { Ledger } from './ledger.ts'
import type { readByRest } from './read-back.ts'
import { leaveOut } from './store.ts'

const EMAIL = 'sam@example.org'
const DOMAIN = 'acme.example'
const MAILS_AT_A_KILL = 5
/** Of them: a server that reads faster than this process notices must not read all before it is killed. */
const READ_AT_A_KILL = 3
/** How a server asks for a mail, see RFC 9051, 6.4.5 and 6.4.9. */
const ASKS_FOR_MAIL = /UID FETCH (\d+) [^\r\n]*BODY/
/** More than a server tries while a test waits. */
const HOLDS: Cut[] = Array.from({ length: 1_000 }, () => 'before the request')
/** Within this time one more mail is read. Another node reads when a dead one's lease has ended, by the slower clock. */
const ONE_WITHIN_MS = 120_000
const ANSWER_MS = 20_000

/** A visitor who answers by mail, some mails twice and some unverified, and the mailbox that the servers read. */
export class Mailbox {
  readonly #counts = { delivered: 0, waitedAtKills: 0 }
  readonly #clientId = newId()
  readonly #ledger: Ledger
  readonly #imap: ImapProcess
  /** Between the servers and their mailbox. */
  readonly #proxy: TcpProxy
  readonly #smtp: TestSmtpServer
  /** The texts of those that are to be messages, in the order of their arrival. */
  readonly #mails: string[] = []
  readonly #unverified: string[] = []
  /** The UID of the newest mail: nothing is ever removed. */
  #newestUid = 0
  #replyAddress = ''

  private constructor(ledger: Ledger, imap: ImapProcess, proxy: TcpProxy, smtp: TestSmtpServer) {
    this.#ledger = ledger
    this.#imap = imap
    this.#proxy = proxy
    this.#smtp = smtp
  }

  /** Null without Dovecot. */
  static async open(ledger: Ledger, test: string): Promise<Mailbox | null> {
    if (!(await hasImap())) {
      leaveOut(`${test} > answers by mail: there is no Dovecot`)
      return null
    }
    const imap = await startImap()
    const proxy = await TcpProxy.open(Number(new URL(imap.url).port))
    return new Mailbox(ledger, imap, proxy, await startSmtpServer())
  }

  get env(): Record<string, string> {
    const inbound = new URL(this.#imap.url)
    inbound.port = String(this.#proxy.port)
    return {
      SMTP_URL: this.#smtp.url,
      MAIL_FROM: `no-reply@${DOMAIN}`,
      INBOUND_URL: inbound.href,
      REPLY_ADDRESS: `support@${DOMAIN}`,
      INBOUND_AUTHSERV: `mx.${DOMAIN}`,
    }
  }

  /** Begins the conversation, with an address for answers as a mail to its visitor has it. */
  async begin(origin: string, location: StoreLocation): Promise<void> {
    const clientId = this.#clientId
    this.#ledger.apart.add(clientId)
    const first = { clientId, message: 'Do you answer by mail?', nonce: newId() }
    const { data } = await ask<PostedMessage>(origin, paths.chat, { method: 'POST', body: first })
    this.#acknowledge(data)
    await ask(origin, paths.conversationProfile(clientId), { method: 'PATCH', body: { email: EMAIL } })
    const storage = await openStorage(location)
    const { reply } = await createLinks({
      ...{ storage, hash: async () => '', answersByMail: true, now: Date.now },
      limits: createLimits({ enabled: false, counters: createCounters(null) }),
    }).create({ clientId, epoch: data.epoch, addressId: null, mailId: 'the first' })
    await storage.close()
    this.#replyAddress = `support+${reply}@${DOMAIN}`
  }

  /** Puts mails into the mailbox. Runs `kill` once one of them is stored. Others are still to be read. */
  async betweenMails<T>(origin: string, kill: () => Promise<T>): Promise<T> {
    const known = this.#mails.length
    const lastRead = this.#newestUid + READ_AT_A_KILL
    const isHeld = (bytes: Buffer) => Number(ASKS_FOR_MAIL.exec(bytes.toString('latin1'))?.[1]) > lastRead
    this.#proxy.cutNext(isHeld, [...HOLDS])
    await this.#deliver()
    await this.#readUntil(origin, known + 1)
    const result = await kill()
    this.#counts.waitedAtKills += this.#newestUid - lastRead
    this.#proxy.cutNext(() => false, [])
    return result
  }

  /** Waits until all mails are read: each that was verified is a message now, and the others, read last, are entries. */
  async settle(origin: string): Promise<void> {
    const stored = await this.#readUntil(origin, this.#mails.length)
    await this.#entriesUntil(origin, this.#unverified.length)
    for (const text of this.#mails) {
      const message = stored.find((each) => each.message === text)
      if (message === undefined) this.#ledger.violation(`a mail is no message: ${text}`)
      else this.#acknowledge(message)
    }
    if (this.#counts.waitedAtKills === 0) this.#ledger.violation('no kill fell between two mails')
  }

  /** Each unverified mail must have one entry. The messages are checked with those of the chat. */
  check({ logs }: Awaited<ReturnType<typeof readByRest>>): void {
    const entries = mailEntries(logs.get(this.#clientId) ?? [])
    const texts = entries.map(({ data }) => ('text' in data ? data.text : 'a failed mail'))
    if (texts.join() !== this.#unverified.join()) {
      this.#ledger.violation(`unverified mails ${this.#unverified} have the entries ${texts}`)
    }
  }

  /** Of the report. */
  rows(): [what: string, count: number][] {
    return [
      ['mails, each read once', this.#counts.delivered],
      ['mails to be read at a kill', this.#counts.waitedAtKills],
    ]
  }

  async close(): Promise<void> {
    this.#proxy.close()
    await this.#imap.close()
    await this.#smtp.close()
  }

  /** As typed, in this order, and as stored. */
  #acknowledge(message: Message): void {
    const { clientId, senderId, nonce } = message
    const typed = { clientId, senderId, nonce, message: message.message, files: [] }
    const as = { ...typed, browser: 'mail', wasHeld: false, wasDiscarded: false }
    this.#ledger.type(as)
    this.#ledger.acknowledge(as, message)
  }

  /** Some mails, the last of them twice, as if it came by two ways, and one that is not verified. */
  async #deliver(): Promise<void> {
    const to = this.#replyAddress
    for (let index = 0; index < MAILS_AT_A_KILL; index += 1) {
      const number = this.#counts.delivered
      const mail = { to, body: `mail ${number}`, messageId: `${number}@example.org` }
      this.#mails.push(mail.body)
      await this.#put(rawMail(mail))
      if (index === MAILS_AT_A_KILL - 1) await this.#put(rawMail({ ...mail, headers: ['X-Way: 2'] }))
      this.#counts.delivered += 1
    }
    const unverified = `unverified mail ${this.#counts.delivered}`
    this.#unverified.push(unverified)
    await this.#put(rawMail({ to, body: unverified, dmarc: null }))
    this.#counts.delivered += 1
  }

  async #put(raw: string): Promise<void> {
    await this.#imap.deliver(raw)
    this.#newestUid += 1
  }

  /** Reads the messages that were mails until there are as many as `wanted`. */
  async #readUntil(origin: string, wanted: number): Promise<Message[]> {
    const path = `${adminPaths.adminConversation(this.#clientId)}?after=1&limit=100`
    const { messages } = await askUntil<Page>(origin, path, (page) => page.messages.length, wanted)
    return messages
  }

  async #entriesUntil(origin: string, wanted: number): Promise<void> {
    const path = `${adminPaths.conversationActivity(this.#clientId)}?after=0&limit=100`
    await askUntil<ActivityPage>(origin, path, ({ activity }) => mailEntries(activity).length, wanted)
  }
}

function mailEntries(log: readonly Activity[]) {
  return log.filter((entry) => entry.kind === 'mail')
}

/** Asks as an admin until the answer has as many as wanted, or has no more for too long. */
async function askUntil<T>(
  origin: string,
  path: string,
  countOf: (answer: T) => number,
  wanted: number,
): Promise<T> {
  const { accessToken } = await signInWhenReady(origin)
  let most = 0
  let until = performance.now() + ONE_WITHIN_MS
  for (;;) {
    const answer = await ask<T>(origin, path, { token: accessToken })
    const count = countOf(answer)
    if (count > most) until = performance.now() + ONE_WITHIN_MS
    most = Math.max(most, count)
    if (count >= wanted || performance.now() > until) return answer
    await pause(20)
  }
}

interface Asked {
  method?: string
  body?: object
  token?: string
}

function ask<T = unknown>(origin: string, path: string, asked: Asked): Promise<T> {
  const { method = 'GET', body, token } = asked
  return untilAnswered(async () => {
    const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` })
    if (body !== undefined) headers.set('content-type', 'application/json')
    const signal = AbortSignal.timeout(ANSWER_MS)
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(origin + API_PREFIX + path, { method, headers, signal, ...sent })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<T>
  })
}
