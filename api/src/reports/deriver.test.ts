import { expect, it } from 'vitest'
import { newClientId } from '../../test/build-app.ts'
import { newId } from '../storage/model/ids.ts'
import { extended } from '../storage/model/storage.ts'
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
