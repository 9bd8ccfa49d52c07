import { ADMIN_NAMESPACE, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { newId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { type MeasuredServer, startBareHub, startProduct } from './benchmark.ts'
import { RawSocket } from './raw-socket.ts'

/** Visitors who write and one admin who receives all of it. */
export interface Crowd {
  server: MeasuredServer
  visitors: RawSocket[]
  admin: RawSocket
  close(): void
}

/** The product needs a token, the bare hub accepts anything. */
async function gather(
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

/** Runs `measure` with `count` visitors on the product and on the bare hub, each with a database of its own. */
export async function withCrowds<T>(
  count: number,
  measure: (product: Crowd, bare: Crowd) => Promise<T>,
): Promise<T> {
  const productDir = temporaryDir('bench')
  const bareDir = temporaryDir('bench')
  const product = await startProduct(productDir.path)
  const bare = await startBareHub(bareDir.path)
  try {
    const crowds = await Promise.all([
      gather(product, count, async () => (await signInAsAdmin(product.origin)).accessToken),
      gather(bare, count, async () => ''),
    ])
    try {
      return await measure(...crowds)
    } finally {
      for (const crowd of crowds) crowd.close()
    }
  } finally {
    await product.stop('SIGKILL')
    await bare.stop('SIGKILL')
    productDir.remove()
    bareDir.remove()
  }
}

export const TEXT =
  'Do I need a second camera for the exam on Thursday, and may I keep a glass of water on my desk?'

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
