import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ADMIN_NAMESPACE, SOCKET_PATH, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import WebSocket from 'ws'
import { createVisitorChat } from '../../web/src/chat/engine/chat.ts'
import { io } from '../../web/src/chat/engine/socket-io.ts'
import { noFiles } from '../../web/src/chat/engine/testing/attachments.ts'
import { Browser } from '../../web/src/chat/engine/testing/browser.ts'
import { restOf } from '../../web/src/chat/engine/testing/people.ts'
import { ensureVisitor } from '../../web/src/chat/engine/visitor.ts'
import { newId, signInAsAdmin } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { TcpProxy } from '../test/tcp-proxy.ts'
import {
  type Benchmark,
  type MeasuredServer,
  startLeastHub,
  startMeasured,
  startProduct,
} from './benchmark.ts'
import { RawSocket } from './raw-socket.ts'

/** Each cut is a second in which a group has no connection and gets none. */
const CUT_MS = 1_000
const EVERY_MS = 2_000
/** Groups are cut one after another. */
const GROUPS = 10
/** Listeners that wait for a lost message wait forever, so the scene ends. */
const PATIENCE_MS = 20_000
const BARE_WS = fileURLToPath(new URL('./bare-ws.ts', import.meta.url))

interface Scene {
  visitors: number
  /** Each visitor gets one every EVERY_MS. */
  messages: number
}

/** Someone who listens. `shown` has each text as often as it was shown. */
interface Listener {
  clientId: string
  shown(): string[]
  close(): void
}

interface Side {
  start(dataDir: string): Promise<MeasuredServer>
  listen(origin: string): Promise<Listener>
  openPublisher(origin: string): Promise<(to: string, text: string) => Promise<void>>
}

interface Outcome {
  sent: number
  missing: number
  twice: number
  /** Milliseconds from the last message until all had everything; null if some never had. */
  settledMs: number | null
  /** Bytes that the server uses at the end. */
  live: number
  resident: number
}

const publishOver = (admin: RawSocket) => (clientId: string, message: string) =>
  new Promise<void>((resolve, reject) =>
    admin.send('message:send', { clientId, message, nonce: newId() }, (ok) =>
      ok ? resolve() : reject(new Error('the server refused a message of the benchmark')),
    ),
  )

const product: Side = {
  start: startProduct,
  async listen(origin) {
    const tab = new Browser().open()
    const visitor = await ensureVisitor(tab)
    const { request } = restOf(origin)
    const config = { transport: 'push', pollMs: 3_000, unreadPollMs: 10_000 } as const
    const chat = createVisitorChat({ config, visitor, request, openAttachments: noFiles, tab, origin })
    const { conversation } = chat
    chat.start()
    conversation.send('Is anyone there?')
    await new Promise<void>((resolve) => {
      const look = () => conversation.getState().messages.length > 0 && resolve()
      conversation.subscribe(look)
      look()
    })
    return {
      clientId: visitor.clientId,
      shown: () =>
        conversation
          .getState()
          .messages.slice(1)
          .map(({ message }) => message),
      close: () => chat.stop(),
    }
  },
  async openPublisher(origin) {
    const { accessToken: token } = await signInAsAdmin(origin)
    return publishOver(await RawSocket.connect(origin, ADMIN_NAMESPACE, { token }))
  },
}

/** Socket.IO as it comes: it connects again by itself, and repeats nothing. */
const socketIo: Side = {
  start: startLeastHub,
  async listen(origin) {
    const clientId = newId()
    const texts: string[] = []
    const options = { path: SOCKET_PATH, transports: ['websocket'], forceNew: true, auth: { clientId } }
    const socket = io(origin + VISITOR_NAMESPACE, options)
    socket.on('message:created', ({ message }: { message: string }) => texts.push(message))
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    return { clientId, shown: () => texts, close: () => void socket.disconnect() }
  },
  openPublisher: async (origin) => publishOver(await RawSocket.connect(origin, ADMIN_NAMESPACE, {})),
}

/** A bare WebSocket, opened again every second until it is open. */
const bareWs: Side = {
  start: (dataDir) => startMeasured({ dataDir, entry: BARE_WS }),
  async listen(origin) {
    const clientId = newId()
    const texts: string[] = []
    let isClosed = false
    let socket = openWs(origin, clientId)
    const listen = () => {
      socket.on('message', (data) => texts.push(String(data)))
      socket.on('error', () => {})
      socket.on('close', () => isClosed || setTimeout(openAgain, CUT_MS))
    }
    const openAgain = () => {
      socket = openWs(origin, clientId)
      listen()
    }
    listen()
    await once(socket, 'open')
    const close = () => {
      isClosed = true
      socket.terminate()
    }
    return { clientId, shown: () => texts, close }
  },
  async openPublisher(origin) {
    const socket = openWs(origin, '')
    await once(socket, 'open')
    return async (to, text) => socket.send(JSON.stringify({ to, text }))
  },
}

const openWs = (origin: string, clientId: string) =>
  new WebSocket(`${origin.replace('http', 'ws')}/${clientId}`, { perMessageDeflate: false })

async function play(side: Side, { visitors, messages }: Scene): Promise<Outcome> {
  const dir = temporaryDir('bench')
  const server = await side.start(dir.path)
  const proxies = await Promise.all(Array.from({ length: GROUPS }, () => TcpProxy.open(server.port)))
  const listeners: Listener[] = []
  const timers: NodeJS.Timeout[] = []
  try {
    for (let at = 0; at < visitors; at++) {
      listeners.push(await side.listen((proxies[at % GROUPS] as TcpProxy).origin))
    }
    const publish = await side.openPublisher(server.origin)
    const half = (messages * EVERY_MS) / 2
    const spread = (half - CUT_MS) / GROUPS
    for (const [group, proxy] of proxies.entries()) {
      timers.push(
        // First an orderly end, later a connection that swallows what the server sends before it ends.
        ...during(
          group * spread,
          () => proxy.refuse(),
          () => proxy.accept(),
        ),
        ...during(
          half + group * spread,
          () => proxy.silence(),
          () => proxy.endSilence(),
        ),
      )
    }
    await publishAll(listeners, messages, publish)
    const isComplete = ({ shown }: Listener) => new Set(shown()).size === messages
    const settledMs = await untilAll(listeners, isComplete)
    const sent = visitors * messages
    const texts = listeners.map(({ shown }) => shown())
    const { live, resident } = await server.usage({ afterGc: true })
    const distinct = texts.reduce((sum, each) => sum + new Set(each).size, 0)
    return {
      sent,
      missing: sent - distinct,
      twice: texts.reduce((sum, each) => sum + each.length, 0) - distinct,
      settledMs,
      live,
      resident,
    }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    for (const listener of listeners) listener.close()
    for (const proxy of proxies) proxy.close()
    await server.stop('SIGKILL')
    dir.remove()
  }
}

const during = (fromMs: number, begin: () => void, end: () => void) => [
  setTimeout(begin, fromMs),
  setTimeout(end, fromMs + CUT_MS),
]

/** Evenly over the time. */
async function publishAll(
  listeners: readonly Listener[],
  messages: number,
  publish: (to: string, text: string) => Promise<void>,
): Promise<void> {
  const from = performance.now()
  const published: Promise<void>[] = []
  const total = listeners.length * messages
  while (published.length < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - from) / EVERY_MS) * listeners.length))
    while (published.length < due) {
      const { clientId } = listeners[published.length % listeners.length] as Listener
      published.push(publish(clientId, `${published.length} for ${clientId}`))
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await Promise.all(published)
}

async function untilAll(
  listeners: readonly Listener[],
  isComplete: (listener: Listener) => boolean,
): Promise<number | null> {
  const from = performance.now()
  let left = listeners
  for (;;) {
    left = left.filter((listener) => !isComplete(listener))
    const ms = performance.now() - from
    if (left.length === 0) return ms
    if (ms > PATIENCE_MS) return null
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function told({ sent, missing, twice, settledMs, live, resident }: Outcome): string {
  const [used, given] = [live, resident].map((bytes) => Math.round(bytes / 1e6))
  const share = `${(((sent - missing) / sent) * 100).toFixed(2)} %`
  const settled = settledMs === null ? 'never complete' : `complete after ${(settledMs / 1_000).toFixed(2)} s`
  return `${share} shown, ${twice} twice, ${settled}, ${used} MB live, ${given} MB resident`
}

/** What visitors see who lose their connection twice while they are written to. */
export const cuts: Benchmark = {
  name: 'cuts',
  onlyByName: true,
  async run({ quick }) {
    const scene = quick ? { visitors: 100, messages: 5 } : { visitors: 1_000, messages: 15 }
    const { visitors, messages } = scene
    const what = `${visitors.toLocaleString('en')} visitors get ${messages} messages each and are cut off twice`
    const ours = await play(product, scene)
    const theirs = await play(socketIo, scene)
    const bare = await play(bareWs, scene)
    const figure = (of: string, outcome: Outcome) =>
      ({ kind: 'figure', what: `${what}: ${of}`, value: told(outcome), against: '' }) as const
    return [
      {
        kind: 'finding',
        what: `${what}: product`,
        value: told(ours),
        aim: 'all, once',
        met: ours.missing === 0 && ours.twice === 0 && ours.settledMs !== null,
      },
      figure('Socket.IO', theirs),
      figure('bare ws', bare),
    ]
  },
}
