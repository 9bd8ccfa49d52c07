/**
 * One of several processes that append to one conversation, directly through the storage: it reports each
 * acknowledged message over IPC until it is killed or done. A nonce names the position, so that a successor repeats
 * what its predecessor may have left unfinished.
 */
import { parseArgs } from 'node:util'
import { openStores } from '../../src/storage/open-storage.ts'

export interface Acknowledged {
  nonce: string
  seq: number
}

/** An admin marks messages as read every so many messages. */
const READS_EVERY = 7

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    clientId: { type: 'string', default: '' },
    senderId: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    from: { type: 'string', default: '0' },
    upTo: { type: 'string', default: '0' },
  },
})
const { url, clientId, senderId, name } = values
const { storage } = await openStores({ dataDir: '', mongodbUrl: url })

for (let place = Number(values.from); place < Number(values.upTo); place++) {
  const nonce = `${name}-${String(place).padStart(6, '0')}`
  const message = `${name} ${place}`
  const appended = await storage.messages.append({ clientId, senderId, message, nonce, at: Date.now() })
  if (!('message' in appended)) throw new Error(`${nonce}: ${appended.outcome}`)
  const { seq } = appended.message
  process.send?.({ nonce, seq } satisfies Acknowledged)
  if (senderId !== clientId && place % READS_EVERY === 0) {
    await storage.conversations.markRead(clientId, 'admin', seq)
  }
}
await storage.close()
process.disconnect()
