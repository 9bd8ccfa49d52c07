import { expect, it } from 'vitest'
import { MemoryMongo } from '../../../test/simulation/memory-mongo.ts'
import { openOn } from './open-mongo.ts'

it('keeps no progress of a conversation that is erased while it is indexed', async () => {
  let beforeProgress = async () => {}
  const mongo = new MemoryMongo({
    async step(_actor, what, apply) {
      if (what().startsWith('write to searchProgress')) await beforeProgress()
      return apply()
    },
  })
  const { storage } = await openOn(mongo.connect('node'))
  const clientId = 'Visitor0000000000001'
  const message = { clientId, senderId: clientId, message: 'Hello', nonce: 'nonce-1-xxxx', at: Date.now() }
  await storage.messages.append(message)
  const epoch = (await storage.conversations.find(clientId))?.epoch ?? ''
  beforeProgress = async () => {
    beforeProgress = async () => {}
    await storage.conversations.erase(clientId)
  }
  await storage.search.put([{ owner: clientId, epoch, seq: 1, n: 0, visitor: 'Ada', texts: [] }])
  expect(mongo.documents('searchProgress')).toEqual([])
  await storage.close()
})
