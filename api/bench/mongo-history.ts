import { randomBytes } from 'node:crypto'
import { paths } from '@proctorpass/shared/paths'
import { MongoClient } from 'mongodb'
import { newEpoch, newId } from '../src/storage/model/ids.ts'
import { type ConversationDoc, collectionsOf, type MessageDoc } from '../src/storage/mongo/collections.ts'
import { prepareSchema } from '../src/storage/mongo/schema.ts'
import { API_PREFIX, newId as newClientId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { freshDatabase } from '../test/servers/test-database.ts'
import { type Benchmark, type Comparison, type MeasuredServer, startProduct } from './benchmark.ts'
import { compareGets, type SeededServer } from './seeded-stores.ts'
import { leftOut, servers } from './servers.ts'

/** The visitor and the admin alternate. */
const PER_CONVERSATION = 10
/** Conversations with unread messages, as many in either store. */
const WAITING = 50
const SMALL = 1_000
/** The stand-in scans the collection for every query that is not by _id. */
const LARGE = { real: 1_000_000, standIn: 10_000 }
const BATCH = 5_000
const ADMIN_ID = 'a'.repeat(24)

/** Writes what the storage would have left, at once: appended one by one, a million messages take too long. */
async function fill(url: string, messages: number): Promise<string> {
  const client = await new MongoClient(url).connect()
  await prepareSchema(client.db())
  const collections = collectionsOf(client.db())
  const from = Date.now() - 30 * 86_400_000
  let documents: MessageDoc[] = []
  let conversations: ConversationDoc[] = []
  let lastClientId = ''
  const flush = async () => {
    if (documents.length > 0) await collections.messages.insertMany(documents, { ordered: false })
    if (conversations.length > 0)
      await collections.conversations.insertMany(conversations, { ordered: false })
    documents = []
    conversations = []
  }
  for (let index = 0; index < messages / PER_CONVERSATION; index++) {
    const clientId = newClientId()
    const epoch = newEpoch()
    // The first ones wait: their last message, the visitor's, has no answer.
    const waits = index < WAITING
    const length = waits ? PER_CONVERSATION - 1 : PER_CONVERSATION
    for (let seq = 1; seq <= length; seq++) {
      const fromVisitor = seq % 2 === 1
      const createdAt = from + index * PER_CONVERSATION + seq
      documents.push({
        _id: newId(createdAt),
        clientId,
        epoch,
        seq,
        senderId: fromVisitor ? clientId : ADMIN_ID,
        message: 'A sentence of about the length that people write when they ask about their exam.',
        createdAt,
        nonce: newId(createdAt),
        visitorCount: Math.ceil(seq / 2),
        waitingSince: fromVisitor ? createdAt : null,
      })
    }
    const lastMessage = documents.at(-1) as MessageDoc
    const { visitorCount, waitingSince } = lastMessage
    conversations.push({
      _id: clientId,
      clientId,
      epoch,
      seq: length,
      lastMessage,
      lastAt: lastMessage.createdAt,
      visitorCount,
      waitingSince,
      visitorRead: length,
      adminRead: waits ? length - 1 : length,
      adminReadCount: waits ? visitorCount - 1 : visitorCount,
      adminUnread: waits ? 1 : 0,
    })
    lastClientId = clientId
    if (documents.length >= BATCH) await flush()
  }
  await flush()
  await client.close()
  return lastClientId
}

/** What people do all day must cost the same however much is old. */
export const mongoHistory: Benchmark = {
  name: 'mongo-history',
  async run({ quick }) {
    const { mongo } = await servers()
    if (mongo === null) return leftOut('mongo-history', 'there is no MongoDB server')
    const large = quick ? LARGE.standIn : mongo.isReal ? LARGE.real : LARGE.standIn
    const dir = temporaryDir('bench')
    const started: MeasuredServer[] = []
    const start = async (messages: number): Promise<SeededServer> => {
      const url = freshDatabase(mongo)
      const clientId = await fill(url, messages)
      const server = await startProduct(dir.path, {
        MONGODB_URL: url,
        JWT_SECRET: randomBytes(32).toString('hex'),
      })
      started.push(server)
      const { accessToken } = await signInAsAdmin(server.origin)
      return { server, dataDir: dir.path, clientId, token: accessToken }
    }
    try {
      const [many, few] = [await start(large), await start(SMALL)]
      const sizes = `${large.toLocaleString('en')} messages against ${SMALL.toLocaleString('en')}, on ${mongo.name}`
      const compare = async (
        what: string,
        as: 'visitor' | 'admin',
        path: (clientId: string) => string,
      ): Promise<Comparison> => {
        const options = { quick, what: `${what}, ${sizes}`, as, rounds: quick ? 10 : 50 }
        const { aim, ...found } = await compareGets(
          options,
          many,
          few,
          (of) => API_PREFIX + path(of.clientId),
        )
        // A stand-in's times show nothing about the queries; another test checks that each has its index.
        return mongo.isReal && aim !== undefined ? { ...found, aim } : found
      }
      return [
        await compare('admin opens a conversation', 'admin', (id) => paths.adminConversation(id)),
        await compare('the chats list', 'admin', () => paths.chat),
        await compare('the unread total', 'admin', () => paths.unreadCount),
        await compare('catch-up of 5', 'visitor', (id) => `${paths.conversation(id)}?after=5`),
      ]
    } finally {
      for (const server of started) await server.stop('SIGKILL')
      dir.remove()
    }
  },
}
