import { Agent, request } from 'node:http'
import type { NewMessage } from '../src/storage/model/conversation/messages.ts'
import type { Storage } from '../src/storage/model/storage.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { newId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { type Comparison, type MeasuredServer, quantile, startProduct } from './benchmark.ts'

/** A product server over a store that was filled before. */
export interface SeededServer {
  server: MeasuredServer
  dataDir: string
  /** The conversation with the long history. */
  clientId: string
  token: string
}

export interface StoreSize {
  /** In one conversation; admin and visitor alternate. */
  messages: number
  conversations: number
  /** Posts, reviews and contacts: so many of each. */
  listed?: number
}

/** Shared by both stores, so that only old, read data differs: conversations with unread messages. */
const WAITING = 100

/** Starts a product server for each size and hands both over. `fill` answers the conversation with the long history. */
export async function withSeededServers<T, Size = StoreSize>(
  sizes: { large: Size; small: Size },
  measure: (large: SeededServer, small: SeededServer) => Promise<T>,
  fill: (dataDir: string, size: Size) => Promise<string> = fillWithHistory as never,
): Promise<T> {
  const largeDir = temporaryDir('bench')
  const smallDir = temporaryDir('bench')
  const started: MeasuredServer[] = []
  const start = async (dataDir: string, size: Size): Promise<SeededServer> => {
    const clientId = await fill(dataDir, size)
    const server = await startProduct(dataDir)
    started.push(server)
    return { server, dataDir, clientId, token: (await signInAsAdmin(server.origin)).accessToken }
  }
  try {
    return await measure(await start(largeDir.path, sizes.large), await start(smallDir.path, sizes.small))
  } finally {
    for (const server of started) await server.stop('SIGKILL')
    largeDir.remove()
    smallDir.remove()
  }
}

const ADMIN_ID = '0'.repeat(24)
/** Appended at once, so that they share a commit. */
const BATCH = 1_000

async function fillWithHistory(
  dataDir: string,
  { messages, conversations, listed = 0 }: StoreSize,
): Promise<string> {
  const { storage } = await openStores({ dataDir })
  const clientId = newId()
  let at = Date.now() - 86_400_000
  const write = (to: string, fromVisitor: boolean): NewMessage => ({
    clientId: to,
    senderId: fromVisitor ? to : ADMIN_ID,
    message: 'A sentence of about the length that people write when they ask about their exam.',
    nonce: newId(),
    at: at++,
  })
  await appendAll(storage, messages, (index) => write(clientId, index % 2 === 0))
  // All but those that wait were answered and read.
  const others = Array.from({ length: conversations - 1 }, () => newId())
  const answered = others.slice(WAITING - 1)
  await appendAll(storage, others.length, (index) => write(others[index] as string, true))
  await appendAll(storage, answered.length, (index) => write(answered[index] as string, false))
  for (let from = 0; from < answered.length; from += BATCH) {
    const some = answered.slice(from, from + BATCH)
    await Promise.all(some.map((id) => storage.conversations.markRead(id, 'admin', 2)))
  }
  await inBatches(listed, (index) => list(storage, index, at + index))
  await storage.close()
  return clientId
}

/** A post, a review and a contact of the usual length. */
async function list(storage: Storage, index: number, createdAt: number): Promise<void> {
  const sentence = 'A sentence of about the length that people write about their exam.'
  await Promise.all([
    storage.blogs.create({
      slug: `post-${[...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`,
      title: 'What to do the evening before',
      summary: `${sentence} ${sentence}`,
      img: '/images/posts/desk.svg',
      imgAlt: 'A desk with a laptop on it',
      content: `<p>${sentence}</p>`.repeat(60),
      createdAt,
    }),
    storage.reviews.create({
      name: 'Noor',
      time: 'May 2026',
      star: 4.5,
      review: sentence.repeat(3),
      createdAt,
    }),
    storage.contacts.create({
      email: 'noor@example.org',
      title: 'A question',
      message: sentence.repeat(4),
      createdAt,
    }),
  ])
}

function appendAll(storage: Storage, count: number, make: (index: number) => NewMessage): Promise<void> {
  return inBatches(count, (index) => storage.messages.append(make(index)))
}

async function inBatches(count: number, write: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from)
    await Promise.all(Array.from({ length: size }, (_, i) => write(from + i)))
  }
}

export interface Answer {
  status: number
  body: string
}

/** Requests without the overhead of fetch: one after another on one connection, unless `agent` allows more. */
export function openClient(
  origin: string,
  agent = new Agent({ keepAlive: true, maxSockets: 1 }),
): { get(path: string, token?: string): Promise<Answer>; close(): void } {
  return {
    get: (path, token) =>
      new Promise((resolve, reject) => {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
        request(origin + path, { agent, headers }, (response) => {
          let body = ''
          response.setEncoding('utf8')
          response.on('data', (text: string) => {
            body += text
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
          response.on('error', reject)
        })
          .on('error', reject)
          .end()
      }),
    close: () => agent.destroy(),
  }
}

/**
 * The median time of one GET, large against small, alternating from request to request. `path` must ask for the same
 * amount of both.
 */
export async function compareGets(
  options: { quick: boolean; what: string; as: 'visitor' | 'admin'; rounds?: number; atMost?: number },
  large: SeededServer,
  small: SeededServer,
  path: (seeded: SeededServer) => string,
): Promise<Comparison> {
  const sides = [large, small].map((seeded) => ({
    client: openClient(seeded.server.origin),
    url: path(seeded),
    token: options.as === 'admin' ? seeded.token : undefined,
    medians: [] as number[],
  }))
  const rounds = options.rounds ?? (options.quick ? 100 : 300)
  // The first slice is for compilers and caches.
  const slices = 1 + (options.quick ? 3 : 7)
  for (let slice = 0; slice < slices; slice++) {
    const times = sides.map(() => new Float64Array(rounds))
    for (let round = 0; round < rounds; round++) {
      for (const [index, { client, url, token }] of sides.entries()) {
        const from = performance.now()
        const { status, body } = await client.get(url, token)
        if (status !== 200) throw new Error(`GET ${url} answered ${status}: ${body}`)
        ;(times[index] as Float64Array)[round] = performance.now() - from
      }
    }
    if (slice === 0) continue
    for (const [index, { medians }] of sides.entries()) medians.push(quantile([...(times[index] ?? [])], 0.5))
  }
  for (const { client } of sides) client.close()
  const [subject = [], reference = []] = sides.map(({ medians }) => medians)
  const { what, atMost = 1.3 } = options
  return { kind: 'comparison', what, unit: 'ms', subject, reference, aim: { atMost } }
}

/** One GET as a visitor. */
export async function getOnce(seeded: SeededServer, path: string): Promise<Answer> {
  const client = openClient(seeded.server.origin)
  try {
    return await client.get(path)
  } finally {
    client.close()
  }
}
