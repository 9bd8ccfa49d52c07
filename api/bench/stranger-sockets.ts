import { setTimeout as wait } from 'node:timers/promises'
import { ADMIN_NAMESPACE, SOCKET_PATH, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import WebSocket from 'ws'
import { newId, signInAsAdmin } from '../test/chat-client.ts'
import type { MeasuredServer, Result } from './benchmark.ts'
import { RawSocket } from './raw-socket.ts'
import { BENIGN, callAs, figure, megabytes, messageOf, type Run, withServer } from './stranger-calls.ts'

const TYPING_SOCKETS = 390
const TOGGLES_PER_SECOND = 20
const PARALLEL = 20

export async function typing({ quick, start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const seconds = quick ? 2 : 8
    const { accessToken } = await signInAsAdmin(server.origin)
    const admin = await RawSocket.connect(server.origin, ADMIN_NAMESPACE, { token: accessToken })
    let events = 0
    admin.onEvent = (name) => {
      if (name === 'typing:changed') events += 1
    }
    const perSecond = async (sockets: RawSocket[]) => {
      events = 0
      const toggles = seconds * TOGGLES_PER_SECOND
      for (let toggle = 0; toggle < toggles; toggle++) {
        for (const socket of sockets) socket.send('typing:set', { typing: toggle % 2 === 0 }, () => {})
        await wait(1_000 / TOGGLES_PER_SECOND)
      }
      return events / seconds
    }
    const known = newId()
    await callAs(BENIGN)(server, messageOf(known, 'Good morning'))
    const join = (clientId: string, localAddress: string) =>
      RawSocket.connect(server.origin, VISITOR_NAMESPACE, { clientId }, { localAddress })
    const visitor = await join(known, BENIGN)
    const reference = await perSecond([visitor])
    const attempts = Array.from({ length: TYPING_SOCKETS }, () =>
      join(newId(), '127.0.0.5').catch(() => null),
    )
    const crowd = (await Promise.all(attempts)).filter((socket) => socket !== null)
    try {
      return [
        {
          kind: 'comparison',
          what: `typing: events that an admin receives, ${crowd.length} sockets without a message against one conversation`,
          unit: '/s',
          subject: [await perSecond(crowd)],
          reference: [reference],
        },
      ]
    } finally {
      for (const socket of [admin, visitor, ...crowd]) socket.close()
    }
  })
}

/** Sockets that no namespace accepts, and upgrades that are refused because of their Origin, alternately. */
export async function refusedUpgrades({ quick, start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    const ms = quick ? 3_000 : 20_000
    let log = 0
    let lines = 0
    for (const stream of [server.child.stdout, server.child.stderr]) {
      stream?.on('data', (text: string) => {
        log += Buffer.byteLength(text)
        lines += text.split('\n').length - 1
      })
    }
    const perMinute = async (address: string, auth: object) => {
      await wait(500)
      log = 0
      lines = 0
      let attempts = 0
      const until = performance.now() + ms
      await Promise.all(
        Array.from({ length: PARALLEL }, async (_, index) => {
          while (performance.now() < until) {
            attempts += 1
            await connectAndAsk(server, address, auth, index % 2 === 0 ? undefined : 'https://evil.example')
          }
        }),
      )
      await wait(500)
      const factor = 60_000 / ms
      return `${megabytes(log * factor)}, ${Math.round(lines * factor)} lines, ${Math.round(attempts * factor)} connections`
    }
    const good = await perMinute(BENIGN, { clientId: newId() })
    const bad = await perMinute('127.0.0.8', { clientId: 'no id' })
    return [figure('refused upgrades: log in a minute', bad, `${good} with a good clientId`)]
  })
}

/** Connects, asks twenty times for the visitors' namespace, and leaves. */
function connectAndAsk(
  server: MeasuredServer,
  localAddress: string,
  auth: object,
  origin: string | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const url = `${server.origin.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`
    const ws = new WebSocket(url, {
      perMessageDeflate: false,
      localAddress,
      ...(origin === undefined ? {} : { origin }),
    })
    const ask = `40${VISITOR_NAMESPACE},${JSON.stringify(auth)}`
    let answers = 0
    ws.on('message', (data) => {
      const frame = String(data)
      if (frame.startsWith('0')) for (let i = 0; i < 20; i++) ws.send(ask)
      else if (++answers === 20) ws.terminate()
      // Let in: what follows are events.
      else if (frame.startsWith('40')) ws.terminate()
    })
    ws.on('error', () => {})
    ws.on('close', () => resolve())
  })
}
