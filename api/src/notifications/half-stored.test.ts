import type { ConversationList, Page } from '@proctorpass/shared/schemas/chat'
import { expect, it, onTestFinished, vi } from 'vitest'
import { buildTestApp, newClientId } from '../../test/build-app.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { MemoryMongo } from '../../test/simulation/memory-mongo.ts'
import { LOOK_EVERY_MS } from '../../test/watched-jobs.ts'
import { openOn } from '../storage/mongo/open-mongo.ts'

it('a message whose conversation could not be moved comes into the list, although its sender does not repeat it', async () => {
  let isFull = false
  const mongo = new MemoryMongo({
    commitsApart: false,
    async step(_actor, what, apply) {
      if (isFull && what().startsWith('update conversations')) throw new Error('The disk is full.')
      return apply()
    },
  })
  const dir = temporaryDir('half-stored')
  const stores = await openOn(mongo.connect('node'))
  let ahead = 0
  const now = () => Date.now() + ahead
  const test = await buildTestApp({ now, lookEveryMs: LOOK_EVERY_MS, stores, dataDir: dir.path })
  onTestFinished(async () => {
    await test.close()
    await stores.storage.close()
    dir.remove()
  })
  const { bearer } = await test.signIn()
  const clientId = newClientId()
  isFull = true
  const payload = { clientId, message: 'Can you help me?' }
  expect((await test.call('POST', '/api/chat', { payload })).statusCode).toBe(500)
  isFull = false
  const shown = await test.call('GET', `/api/chat/${clientId}`)
  expect(shown.json<Page>().messages).toHaveLength(1)

  // The first alert of a message comes after ten seconds.
  ahead = 11_000
  await vi.waitFor(
    async () => {
      const list = (await test.call('GET', '/api/chat', { headers: bearer })).json<ConversationList>()
      expect(list).toMatchObject([{ clientId, adminUnread: 1 }])
    },
    { timeout: 8_000 },
  )
})
