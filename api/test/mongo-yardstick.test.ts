import { MongoClient } from 'mongodb'
import { expect, it, onTestFinished } from 'vitest'
import { openBare } from '../bench/mongo-appends.ts'
import { collectionsOf } from '../src/storage/mongo/collections.ts'
import { openMongo } from '../src/storage/mongo/open-mongo.ts'
import { describeOnMongo } from './mongo-server.ts'

const CLIENTS = ['Visitor0000000000001', 'Visitor0000000000002']

describeOnMongo('the yardstick of mongo-appends', (freshUrl) => {
  /** What one appender leaves of four messages: every field, with values that differ by chance replaced. */
  async function left(url: string, append: (clientId: string, nonce: string) => Promise<unknown>) {
    for (const nonce of ['nonce-1-xxxx', 'nonce-2-xxxx']) {
      for (const clientId of CLIENTS) await append(clientId, nonce)
    }
    const raw = await new MongoClient(url).connect()
    onTestFinished(() => raw.close())
    const { messages, conversations } = collectionsOf(raw.db())
    const found = await messages.find().sort({ clientId: 1, seq: 1 }).toArray()
    return {
      messages: found.map(({ clientId, seq, visitorCount, waitingSince, ...others }) => {
        const first = found.find((each) => each.clientId === clientId)
        return {
          ...{ clientId, seq, visitorCount, waitsSinceFirst: waitingSince === first?.createdAt },
          ...{ epochs: found.filter(({ epoch }) => epoch === others.epoch).length },
          fields: Object.keys(others).sort(),
        }
      }),
      conversations: (await conversations.find().sort({ clientId: 1 }).toArray()).map((each) => ({
        ...{ clientId: each.clientId, seq: each.seq, adminUnread: each.adminUnread },
        isWaiting: each.waitingSince !== null && each.waitingSince === each.lastMessage?.waitingSince,
        fields: Object.keys(each.lastMessage ?? {}).sort(),
      })),
    }
  }

  it('writes what the storage writes', async () => {
    const [url, bareUrl] = [freshUrl(), freshUrl()]
    const { storage } = await openMongo(url)
    onTestFinished(() => storage.close())
    const bare = await openBare(bareUrl)
    onTestFinished(() => bare.close())
    const product = await left(url, (clientId, nonce) =>
      storage.messages.append({ clientId, senderId: clientId, message: 'Hello', nonce, at: Date.now() }),
    )
    expect(await left(bareUrl, bare.append)).toEqual(product)
    expect(product.messages.map(({ epochs }) => epochs)).toEqual([2, 2, 2, 2])
  })
})
