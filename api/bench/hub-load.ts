import { ADMIN_NAMESPACE, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { newId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import {
  alternate,
  type MeasuredServer,
  type Start,
  startBareHub,
  startLeastHub,
  startProduct,
} from './benchmark.ts'
import { RawSocket } from './raw-socket.ts'

/** Visitors who write and one admin who receives all of it. */
export interface Crowd {
  server: MeasuredServer
  visitors: RawSocket[]
  admin: RawSocket
  close(): void
}

/** The product needs a token, the yardsticks accept anything. */
export async function gather(
  server: MeasuredServer,
  count: number,
  getToken: () => Promise<string>,
): Promise<Crowd> {
  const admin = await RawSocket.connect(server.origin, ADMIN_NAMESPACE, { token: await getToken() })
  const visitors = await Promise.all(
    Array.from({ length: count }, () =>
      RawSocket.connect(server.origin, VISITOR_NAMESPACE, { clientId: newId() }),
    ),
  )
  return {
    server,
    visitors,
    admin,
    close() {
      for (const socket of [admin, ...visitors]) socket.close()
    },
  }
}

/** A server on a folder of its own, with its crowd, while `measure` runs. */
export async function withCrowd<T>(
  start: Start,
  count: number,
  getToken: (server: MeasuredServer) => Promise<string>,
  measure: (crowd: Crowd) => Promise<T>,
): Promise<T> {
  const dir = temporaryDir('bench')
  const server = await start(dir.path)
  try {
    const crowd = await gather(server, count, () => getToken(server))
    try {
      return await measure(crowd)
    } finally {
      crowd.close()
    }
  } finally {
    await server.stop('SIGKILL')
    dir.remove()
  }
}

/** Measures the product and both yardsticks alternately, with `count` visitors and a database each. */
export function alternateHubs<T>(count: number, slices: number, measure: (crowd: Crowd) => Promise<T>) {
  const noToken = async () => ''
  const adminToken = async ({ origin }: MeasuredServer) => (await signInAsAdmin(origin)).accessToken
  return withCrowd(startProduct, count, adminToken, (product) =>
    withCrowd(startBareHub, count, noToken, (bare) =>
      withCrowd(startLeastHub, count, noToken, (least) =>
        alternate(slices, {
          product: () => measure(product),
          bare: () => measure(bare),
          least: () => measure(least),
        }),
      ),
    ),
  )
}

const TEXT = 'Do I need a second camera for the exam on Thursday, and may I keep a glass of water on my desk?'

/** Sends one message; `onAck` gets the time it took in milliseconds. A refusal ends the benchmark. */
export function sendMessage(socket: RawSocket, onAck: (ms: number) => void): void {
  const from = performance.now()
  socket.send('message:send', { nonce: newNonce(), message: TEXT, epoch: socket.epoch }, (ok) => {
    if (!ok) throw new Error('the server refused a message of the benchmark')
    onAck(performance.now() - from)
  })
}

/** Unique in this process is enough here, and costs the load generator nothing. */
let nonces = 0
const run = newId()
function newNonce(): string {
  nonces += 1
  return `${run}-${nonces}`
}
