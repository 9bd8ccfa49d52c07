import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import { API_PREFIX, signInAsAdmin } from '../test/chat-client.ts'
import {
  alternate,
  type Benchmark,
  type Comparison,
  type MeasuredServer,
  type Result,
  startProduct,
} from './benchmark.ts'
import { type Crowd, sendMessage, withCrowd } from './hub-load.ts'
import { type Pumped, pump } from './throughput.ts'

const VISITORS = 100
const MANY = 20
/** Events that wait for the endpoint that hangs, and the memory that they may cost. */
const WAITING = 10_000
const MEMORY_MAX = 50 * 1024 ** 2
/** Of the messages whose deliveries are counted in. */
const PACED = 200
const PACED_QUICK = 30
const PACE_MS = 5

/** What makes a product tell of events, with an admin's token. */
type Prepare = (server: MeasuredServer, accessToken: string) => Promise<void>

const nothing: Prepare = async () => {}
const aKey: Prepare = (server, token) =>
  post(server, integrationPaths.keys, { name: 'Follower', scopes: ['read'] }, token)
const endpoints =
  (count: number, url: string): Prepare =>
  async (server, token) => {
    for (let each = 0; each < count; each += 1) {
      await post(server, integrationPaths.endpoints, { name: `Receiver ${each}`, url, types: [] }, token)
    }
  }

/** What an event costs a message: without events, with them, and with endpoints that they are posted to. */
export const events: Benchmark = {
  name: 'events',
  async run({ quick }) {
    let received = 0
    const takes = await listen((request, response) => {
      request.resume().on('end', () => {
        received += 1
        response.writeHead(204).end()
      })
    })
    const hangs = await listen((request) => void request.resume())
    const side = <T>(prepare: Prepare, measure: (crowd: Crowd) => Promise<T>): Promise<T> =>
      withCrowd(
        (dataDir) => startProduct(dataDir, { WEBHOOK_HOSTS: `${takes.host},${hangs.host}` }),
        VISITORS,
        async (server) => {
          const { accessToken } = await signInAsAdmin(server.origin)
          await prepare(server, accessToken)
          return accessToken
        },
        measure,
      )
    try {
      return [
        ...(await costOfWriting(side, endpoints(1, hangs.url), quick)),
        ...(await costOfPosting(side, takes.url, () => received, quick)),
      ]
    } finally {
      takes.close()
      hangs.close()
    }
  },
}

type Sided = <T>(prepare: Prepare, measure: (crowd: Crowd) => Promise<T>) => Promise<T>

/** As many messages as go: deliveries do not keep up with them, so only an endpoint that hangs is among the sides. */
function costOfWriting(side: Sided, hanging: Prepare, quick: boolean): Promise<Result[]> {
  const ms = quick ? 700 : 1_500
  return side(nothing, (without) =>
    side(aKey, (written) =>
      side(hanging, async (hung) => {
        const slices = await alternate(quick ? 3 : 15, {
          without: () => pump(without, ms),
          written: () => pump(written, ms),
          hung: () => pump(hung, ms),
        })
        const compared = (['written', 'hung'] as const).flatMap((name): Comparison[] => {
          const what = name === 'written' ? 'events and no endpoint' : 'an endpoint that hangs'
          const compare = (of: keyof Pumped) => ({
            subject: slices[name].map((slice) => slice[of]),
            reference: slices.without.map((slice) => slice[of]),
          })
          return [
            {
              kind: 'comparison',
              what: `messages a second with ${what}, against the product without`,
              unit: '/s',
              ...compare('perSecond'),
              aim: { atLeast: 0.95 },
            },
            {
              kind: 'comparison',
              what: `CPU of the server per message with ${what}, against the product without`,
              unit: 'µs',
              ...compare('cpuPerMessage'),
              aim: { atMost: 1.05 },
            },
            {
              kind: 'comparison',
              what: `bytes written per message with ${what}, against the product without`,
              unit: 'kB',
              ...compare('writtenPerMessage'),
            },
          ]
        })
        return [...compared, await memoryOf(written, hung, quick)]
      }),
    ),
  )
}

/** What waiting events cost, beside the same messages without an endpoint. */
async function memoryOf(reference: Crowd, hung: Crowd, quick: boolean): Promise<Result> {
  const grown = async (crowd: Crowd): Promise<number> => {
    const before = await crowd.server.usage({ afterGc: true })
    for (let sent = 0; sent < (quick ? WAITING / 20 : WAITING); ) {
      const { perSecond } = await pump(crowd, 1_000)
      sent += perSecond
    }
    return (await crowd.server.usage({ afterGc: true })).live - before.live
  }
  const [without, waiting] = [await grown(reference), await grown(hung)]
  const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MB`
  return {
    kind: 'finding',
    what: `memory of ${WAITING.toLocaleString('en')} events that wait for an endpoint that hangs`,
    value: megabytes(waiting - without),
    aim: `at most ${megabytes(MEMORY_MAX)}`,
    met: waiting - without <= MEMORY_MAX,
  }
}

/** A calm stream of messages, until each of its events was taken: what the deliveries of one message cost in all. */
function costOfPosting(
  side: Sided,
  url: string,
  receivedSoFar: () => number,
  quick: boolean,
): Promise<Result[]> {
  const count = quick ? PACED_QUICK : PACED
  const stream = async ({ server, visitors }: Crowd, deliveries: number): Promise<number> => {
    const before = await server.usage()
    const goal = receivedSoFar() + count * deliveries
    let acknowledged = 0
    for (let sent = 0; sent < count; sent += 1) {
      const visitor = visitors[sent % VISITORS]
      if (visitor === undefined) throw new Error('no visitor')
      sendMessage(visitor, () => {
        acknowledged += 1
      })
      await pause(PACE_MS)
    }
    while (acknowledged < count || receivedSoFar() < goal) await pause(20)
    return ((await server.usage()).cpu - before.cpu) / count
  }
  return side(nothing, (without) =>
    side(endpoints(1, url), (one) =>
      side(endpoints(MANY, url), async (many) => {
        const slices = await alternate(quick ? 2 : 8, {
          without: () => stream(without, 0),
          one: () => stream(one, 1),
          many: () => stream(many, MANY),
        })
        return (['one', 'many'] as const).map(
          (name): Comparison => ({
            kind: 'comparison',
            what: `CPU of the server per message, posted to ${name === 'one' ? 1 : MANY}, against the product without`,
            unit: 'µs',
            subject: slices[name],
            reference: slices.without,
          }),
        )
      }),
    ),
  )
}

async function listen(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function post(
  { origin }: MeasuredServer,
  path: string,
  body: object,
  accessToken: string,
): Promise<void> {
  const answer = await fetch(origin + API_PREFIX + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}
