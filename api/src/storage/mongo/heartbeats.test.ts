import { MongoClient } from 'mongodb'
import { expect, it, vi } from 'vitest'
import { describeOnMongo } from '../../../test/mongo-server.ts'
import { reconnectWhenStuck } from './heartbeats.ts'

const STUCK_AFTER_MS = 100

describeOnMongo('a heartbeat that is never answered', (freshUrl) => {
  it('makes the client connect again', async ({ onTestFinished }) => {
    const client = await new MongoClient(freshUrl()).connect()
    const end = reconnectWhenStuck(client, STUCK_AFTER_MS)
    onTestFinished(async () => {
      end()
      await client.close()
    })
    const notes = client.db().collection('notes')
    const opened = vi.fn()
    client.on('topologyOpening', opened)
    client.emit('serverHeartbeatStarted', { connectionId: 'a-server:27017' } as never)
    await vi.waitFor(() => expect(opened).toHaveBeenCalledOnce(), { timeout: 10_000 })
    // Objects that were made of the client before still work.
    await vi.waitFor(() => notes.insertOne({ text: 'again' }), { timeout: 10_000 })
    expect(await notes.countDocuments()).toBe(1)
  })
})
