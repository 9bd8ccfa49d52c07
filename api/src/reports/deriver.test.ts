import { expect, it } from 'vitest'
import { newClientId } from '../../test/build-app.ts'
import { MemoryMongo } from '../../test/simulation/memory-mongo.ts'
import { newId } from '../storage/model/ids.ts'
import { extended } from '../storage/model/storage.ts'
import { collectionsOf } from '../storage/mongo/collections.ts'
import { openConversations } from '../storage/mongo/conversations.ts'
import { openOn } from '../storage/mongo/open-mongo.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createDeriver, type Deriver } from './deriver.ts'

it('makes the sums although conversations change all the time', async () => {
  const storage = openSqlite(':memory:')
  const clientId = newClientId()
  const message = { clientId, senderId: clientId, message: 'Hello', nonce: newId(), at: Date.now() }
  await storage.messages.append(message)
  const sums = Promise.withResolvers<void>()
  const deriver: Deriver = createDeriver({
    storage: {
      ...storage,
      reports: extended(storage.reports, {
        async setProgress(...args) {
          const isStored = await storage.reports.setProgress(...args)
          deriver.changed(clientId)
          return isStored
        },
      }),
    },
    now: Date.now,
    onSums: sums.resolve,
  })
  deriver.start({ error: sums.reject })

  await sums.promise
  const day = new Date(message.at).toISOString().slice(0, 10)
  expect((await storage.reports.day(day))?.data).toContain('"messagesIn":1')
  await deriver.close()
  await storage.close()
})

it('counts a message at its retry when the process that stored it died before it moved the conversation', async () => {
  const death = Promise.withResolvers<void>()
  const mongo = new MemoryMongo({
    commitsApart: true,
    async step(actor, what, apply) {
      if (actor === 'dies' && what().startsWith('update conversations')) {
        death.resolve()
        await new Promise(() => {})
      }
      return apply()
    },
  })
  const { storage } = await openOn(mongo.connect('goes on'))
  const deriver = createDeriver({ storage, now: Date.now })
  storage.onStored(deriver.stored)
  const clientId = newClientId()
  const message = { clientId, senderId: clientId, message: 'Hello', nonce: newId(), at: Date.now() }
  void openConversations(collectionsOf(mongo.db('dies')), {}).messages.append(message)
  await death.promise
  // This compares everything, and sees a conversation without messages.
  await deriver.derive()

  expect(await storage.messages.append(message)).toMatchObject({ outcome: 'repeated' })
  while (!(await deriver.settle()));
  const day = new Date(message.at).toISOString().slice(0, 10)
  expect((await storage.reports.day(day))?.data).toContain('"messagesIn":1')
  await deriver.close()
  await storage.close()
})
