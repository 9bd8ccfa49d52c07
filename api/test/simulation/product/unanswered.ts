import { setTimeout as pause } from 'node:timers/promises'
import { accountPaths } from '@proctorpass/shared/account-paths'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { Message, PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { restOf } from '../../../../web/src/chat/engine/testing/people.ts'
import { newId, signInWhenReady, untilAnswered } from '../../chat-client.ts'
import { until } from '../../faults/erased-conversation.ts'
import type { Ledger } from '../../faults/ledger.ts'
import type { TestDevice } from '../../push-service.ts'
import type { Deliveries } from './deliveries.ts'
import { isMailed } from './mail-server.ts'

/** Conversations of each kind at the beginning. */
const AT_FIRST = 3
/** The first mail is due so long after the beginning, and so long after each other. */
const DUE_EVERY_MS = 7_000
/** The product mails a reply that stays unread for this long. */
const REPLY_UNREAD_MS = 180_000
/** The settings mail admins about a visitor who waits for this long. */
const MAIL_AFTER_MS = 60_000
/** Every node knows changed settings within this time. */
const SETTINGS_KNOWN_MS = 3_000
/** How often another visitor writes, at most. */
const PAUSE_MS = 8_000
/** More than the longest pause between two attempts, on a clock that jumps there. */
const LATER_MS = 60 * 60_000
const DEVICE = 'phone'

interface Deps {
  ledger: Ledger
  /** The origin of a network without faults. */
  origin: string
  deliveries: Deliveries
  /** Sets how far the servers' clocks are ahead. */
  setClocks: (aheadMs: number) => void
}

/**
 * Visitors who left before an admin's reply, and visitors who wait for one. Each reply is mailed, and admins get a push
 * for each visitor who waits, and a mail later.
 */
export class Unanswered {
  readonly #deps: Deps
  /** The addresses of visitors, with the replies that they have not read. */
  readonly #replies = new Map<string, string>()
  readonly #waiting: Message[] = []
  #hasEnded = false
  #running: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Writes the first conversations by clocks that are behind, so that their mails are due soon. */
  async start(device: TestDevice): Promise<void> {
    const { origin, setClocks } = this.#deps
    // A session from before would have expired: no clock is behind the one that began it.
    setClocks(-REPLY_UNREAD_MS)
    const { accessToken } = await signInWhenReady(origin)
    const { request } = restOf(origin, accessToken)
    const escalation = { afterSeconds: 15, thenMailMinutes: MAIL_AFTER_MS / 60_000 }
    await untilAnswered(async () => {
      const settings = await request<Settings>(adminPaths.settings)
      await request(adminPaths.settings, { method: 'PUT', body: { ...settings, escalation } })
    })
    await pause(SETTINGS_KNOWN_MS)
    const { subscription } = device
    await untilAnswered(() =>
      request(accountPaths.push, { method: 'POST', body: { subscription, label: DEVICE } }),
    )
    for (let index = 1; index <= AT_FIRST; index += 1) {
      setClocks(index * DUE_EVERY_MS - REPLY_UNREAD_MS)
      await this.#reply(accessToken)
    }
    for (let index = 1; index <= AT_FIRST; index += 1) {
      setClocks(index * DUE_EVERY_MS - MAIL_AFTER_MS)
      this.#waiting.push(await this.#write(newId()))
    }
    setClocks(0)
    this.#running = this.#writeUntilEnd()
  }

  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#running
  }

  /** When nothing fails any more: an hour later, all are delivered. */
  async check(): Promise<void> {
    const { ledger, setClocks } = this.#deps
    setClocks(LATER_MS)
    const isDone = () => this.#missing().length === 0
    await until(ledger, () => `never delivered: ${this.#missing()}`, isDone)
  }

  #missing(): string[] {
    const { deliveries } = this.#deps
    const replies = [...this.#replies].filter(([to, words]) => !isMailed(to, words))
    return [
      ...replies.map(([to]) => `the reply to ${to}`),
      ...this.#waiting.flatMap(({ _id, clientId }) => [
        ...(deliveries.has(`push ${DEVICE} ${_id}`) ? [] : [`the push for ${clientId}`]),
        ...(isMailed(null, `/dashboard/messages/${clientId}`) ? [] : [`the mail for ${clientId}`]),
      ]),
    ]
  }

  async #writeUntilEnd(): Promise<void> {
    while (!this.#hasEnded) {
      await pause(Math.random() * PAUSE_MS)
      this.#waiting.push(await this.#write(newId()))
    }
  }

  async #reply(accessToken: string): Promise<void> {
    const clientId = newId()
    await this.#write(clientId)
    const email = `${clientId.toLowerCase()}@example.org`
    const { request } = restOf(this.#deps.origin)
    const path = paths.conversationProfile(clientId)
    await untilAnswered(() => request(path, { method: 'PATCH', body: { email } }))
    const { message } = await this.#write(clientId, accessToken)
    this.#replies.set(email, message)
  }

  /** Tells the ledger as the people of the crowd do, who leave these conversations alone. */
  async #write(clientId: string, token?: string): Promise<Message> {
    const { ledger, origin } = this.#deps
    ledger.apart.add(clientId)
    const nonce = newId()
    const body = { clientId, nonce, message: `unanswered ${nonce}` }
    const { request } = restOf(origin, token)
    const { data } = await untilAnswered(() => request<PostedMessage>(paths.chat, { method: 'POST', body }))
    const typed = { ...body, senderId: data.senderId, browser: 'unanswered', files: [] }
    const as = { ...typed, wasHeld: false, wasDiscarded: false }
    ledger.type(as)
    ledger.acknowledge(as, data)
    return data
  }
}
