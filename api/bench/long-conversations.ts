import { setTimeout as wait } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { PostedMessage } from '@proctorpass/shared/schemas/chat'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { type Benchmark, type MeasuredServer, type Result, startProduct } from './benchmark.ts'
import { fillWithCopies } from './copied-stores.ts'

const ERASED = 20_000
const CHANGED = 100_000
const QUICK = 2_000
const SMALL = 100
/** A reply and the next question. Fifteen messages share a quarter-hour of the reports. */
const BETWEEN_MS = 60_000
const LIMIT_MS = 30
const ADMIN_ID = '0'.repeat(24)
/** What the server derives from a change begins within this time. */
const LATEST_MS = 18_000
const LOOK_MS = 1_000
/** The server rests when it used less of a processor than this while it was looked at. */
const IDLE_SHARE = 0.05

/** Changes in a long conversation and its erase: how long each blocks the server for everyone else. */
export const longConversations: Benchmark = {
  name: 'long-conversations',
  onlyByName: true,
  async run({ quick }) {
    const dir = temporaryDir('bench')
    const ids: string[] = []
    // The first pays for code that is loaded and compiled at its first use.
    const sizes = quick ? [SMALL, QUICK, QUICK] : [SMALL, CHANGED, ERASED]
    await fillWithCopies(dir.path, sizes.length, (clientId, index) => {
      ids.push(clientId)
      return conversation(clientId, sizes[index] as number)
    })
    const server = await startProduct(dir.path)
    try {
      const [small, changed, erased] = ids as [string, string, string]
      const [, changedSize = 0, erasedSize = 0] = sizes
      const waits = quick ? LOOK_MS : LATEST_MS
      const { accessToken } = await signInAsAdmin(server.origin)
      const admin = new Admin(server, accessToken, waits)
      await wait(waits)
      await admin.untilIdle()
      await admin.change(small, SMALL)
      await admin.erase(small, SMALL)
      admin.results.length = 0
      await admin.measure('nothing', async () => {})
      await admin.change(changed, changedSize)
      await admin.erase(erased, erasedSize)
      await admin.erase(changed, changedSize)
      return admin.results
    } finally {
      await server.stop('SIGKILL')
      dir.remove()
    }
  },
}

function conversation(clientId: string, count: number) {
  const start = Date.now() - count * BETWEEN_MS
  const messages = Array.from({ length: count }, (_, index) => ({
    senderId: index % 2 === 0 ? clientId : ADMIN_ID,
    createdAt: start + index * BETWEEN_MS,
    message: 'A sentence of about the length that people write when they ask about their exam.',
  }))
  return { messages }
}

/** An admin who does one thing at a time, and measures how long it blocks the server. */
class Admin {
  readonly results: Result[] = []
  readonly #server: MeasuredServer
  readonly #token: string
  readonly #waitMs: number

  constructor(server: MeasuredServer, token: string, waitMs: number) {
    this.#server = server
    this.#token = token
    this.#waitMs = waitMs
  }

  async change(clientId: string, size: number): Promise<void> {
    const within = ` in a conversation of ${size.toLocaleString('en')} messages`
    const message = { clientId, message: 'An answer.', nonce: newId() }
    const correction = { message: 'A better answer.', nonce: newId() }
    await this.measure(`reading a page${within}`, () =>
      this.#call('GET', `${adminPaths.adminConversation(clientId)}?limit=100`),
    )
    const { data } = await this.measure(`a message${within}`, () =>
      this.#call<PostedMessage>('POST', paths.chat, message),
    )
    await this.measure(`a correction${within}`, () =>
      this.#call('PATCH', adminPaths.message(clientId, data.seq), correction),
    )
    await this.measure(`a label${within}`, () =>
      this.#call('PATCH', adminPaths.adminConversation(clientId), { labels: ['refund'] }),
    )
  }

  async erase(clientId: string, size: number): Promise<void> {
    await this.measure(`erasing ${size.toLocaleString('en')} messages`, () =>
      this.#call('DELETE', adminPaths.adminConversation(clientId)),
    )
  }

  /** Measures the request, and what the server derives from it afterwards. */
  async measure<T>(what: string, act: () => Promise<T>): Promise<T> {
    await this.#server.usage()
    const from = performance.now()
    const answer = await act()
    const ms = performance.now() - from
    const { blocked } = await this.#server.usage()
    await wait(this.#waitMs)
    const later = (await this.#server.usage()).blocked
    await this.untilIdle()
    this.results.push({
      kind: 'finding',
      what,
      value: `${blocked.toFixed(0)} ms, and ${later.toFixed(0)} ms later; answered after ${ms.toFixed(0)} ms`,
      aim: `blocks for <= ${LIMIT_MS} ms`,
      met: Math.max(blocked, later) <= LIMIT_MS,
    })
    return answer
  }

  async untilIdle(): Promise<void> {
    for (let { cpu } = await this.#server.usage(); ; ) {
      await wait(LOOK_MS)
      const { cpu: now } = await this.#server.usage()
      if ((now - cpu) / 1_000 < LOOK_MS * IDLE_SHARE) return
      cpu = now
    }
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(this.#server.origin + API_PREFIX + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }
}
