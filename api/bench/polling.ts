import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { paths } from '@proctorpass/shared/paths'
import { openStores } from '../src/storage/open-storage.ts'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { AS_STARTED, type Benchmark, startProduct } from './benchmark.ts'
import { openClient } from './seeded-stores.ts'

const VISITORS = 100
/** Six times as often as browsers ask by default, so that half an hour has the polls of three hours. */
const FASTER = 6
const EVERY_MS = 1_000 / FASTER
const ADMIN_EVERY_MS = 5_000 / FASTER
const MINUTES = 30
/** Garbage is collected and memory is read so many times. */
const READINGS = 12
/** Before an admin's token ends. */
const SIGN_IN_MS = 600_000

/** The polls of visitors and an admin in three hours in which nothing happens: the server's memory must not grow. */
export const polling: Benchmark = {
  name: 'polling',
  onlyByName: true,
  async run({ quick }) {
    const ms = quick ? 30_000 : MINUTES * 60_000
    const dir = temporaryDir('bench')
    const clientIds = await fill(dir.path)
    const server = await startProduct(dir.path, { ...AS_STARTED, CHAT_TRANSPORT: 'polling' })
    const client = openClient(server.origin, new Agent({ keepAlive: true }))
    let polls = 0
    let ended = false
    const poll = async (path: string, token?: string) => {
      const { status, body } = await client.get(path, token)
      if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body}`)
      polls += 1
    }
    const visitor = async (clientId: string) => {
      await wait(Math.random() * EVERY_MS)
      while (!ended) {
        await Promise.all([poll(`${API_PREFIX}${paths.conversation(clientId)}?after=2`), wait(EVERY_MS)])
      }
    }
    const admin = async () => {
      let token = ''
      for (let signedInAt = Number.NEGATIVE_INFINITY; !ended; ) {
        if (performance.now() - signedInAt > SIGN_IN_MS) {
          signedInAt = performance.now()
          token = (await signInAsAdmin(server.origin)).accessToken
        }
        await Promise.all([poll(`${API_PREFIX}${paths.chat}?limit=50`, token), wait(ADMIN_EVERY_MS)])
      }
    }
    const read = async () => {
      const readings: { live: number; resident: number }[] = []
      for (let reading = 0; reading < READINGS; reading++) {
        await wait(ms / READINGS)
        readings.push(await server.usage({ afterGc: true }))
      }
      ended = true
      return readings
    }
    try {
      const [readings] = await Promise.all([read(), admin(), ...clientIds.map(visitor)])
      const [first, last] = [readings[0], readings.at(-1)]
      if (first === undefined || last === undefined) throw new Error('no readings')
      const kB = (of: 'live' | 'resident') => readings.map((reading) => Math.round(reading[of] / 1000))
      const grown = last.live - first.live
      return [
        {
          kind: 'finding',
          what: `${polls.toLocaleString('en')} idle polls: live memory at ${READINGS} moments`,
          value: `${kB('live').join(', ')} kB; resident ${kB('resident').join(', ')} kB`,
          aim: 'live memory grows by less than a byte a poll',
          met: grown < polls,
        },
      ]
    } finally {
      ended = true
      client.close()
      await server.stop('SIGKILL')
      dir.remove()
    }
  },
}

/** Each visitor has written, and an admin has answered. */
async function fill(dataDir: string): Promise<string[]> {
  const { storage } = await openStores({ dataDir })
  const clientIds = Array.from({ length: VISITORS }, newId)
  let at = Date.now() - 86_400_000
  const write = (clientId: string, senderId: string) =>
    storage.messages.append({ clientId, senderId, message: 'A sentence.', nonce: newId(), at: at++ })
  await Promise.all(clientIds.map((clientId) => write(clientId, clientId)))
  await Promise.all(clientIds.map((clientId) => write(clientId, '0'.repeat(24))))
  await storage.close()
  return clientIds
}
