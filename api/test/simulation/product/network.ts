import type { FastifyInstance } from 'fastify'
import type { BadNetwork } from '../../faults/network-faults.ts'
import type { Random } from '../../faults/random.ts'
import type { Faults } from './faults.ts'
import { type Actor, currentActor, type World } from './world.ts'

/** A server process that listens. */
export interface ServerNode {
  readonly actor: Actor
  readonly app: FastifyInstance
}

/** How long a client needs to notice that the other end is gone: the heartbeat of Engine.IO. */
const HEARTBEAT_MS = 45_000
/** How long a deaf connection stays open. */
const DEAF_MS = 2_000

/** What gateways answer in the server's place, which has done what was asked. */
const FOREIGN_ANSWERS = [
  { status: 403, body: '{"error":"Forbidden"}' },
  { status: 404, body: '{"message":"no Route matched with those values"}' },
  { status: 401, body: '{"code":"unauthorized","message":"No.","requestId":"1"}' },
  { status: 200, body: '{"data":{"seq":1},"messages":[],"more":false}' },
  { status: 200, body: '<h1>Sign in to the network</h1>' },
  { status: 204, body: '' },
]

/** How often each kind of fault happens. */
const RATES = {
  lostRequest: 0.04,
  lostAnswer: 0.05,
  foreign: 0.04,
  /** Of connections. */
  cut: 0.2,
  deaf: 0.2,
  /** Of pushed messages. */
  dropped: 0.03,
  doubled: 0.03,
  late: 0.06,
  /** Of everything that is under way. */
  slow: 0.02,
}

const networks = new Map<string, Network>()

/** Finds the network whose origin a browser asks. */
export function networkAt(url: string): Network {
  const network = networks.get(new URL(url).origin)
  if (network === undefined) throw new TypeError(`No network at ${url}.`)
  return network
}

/** One person's way to the servers. */
export class Network implements BadNetwork {
  readonly origin: string
  readonly address: string
  readonly world: World
  readonly random: Random
  #faults: Faults | null
  /** Whether it lets no WebSocket through, so that browsers poll. */
  refusesSockets = false
  /** The requests other than reads that no server has received yet. */
  writesUnderWay = 0
  #isRefusing = false
  readonly #nodes: () => readonly ServerNode[]
  readonly #slowness: number
  readonly #connections = new Set<Connection>()

  /** @param faults null for a good network */
  constructor(world: World, index: number, nodes: () => readonly ServerNode[], faults: Faults | null) {
    this.origin = `http://network-${index}.example`
    this.address = `10.0.${Math.floor(index / 200)}.${1 + (index % 200)}`
    this.world = world
    this.random = world.random
    this.#faults = faults
    this.#nodes = nodes
    this.#slowness = this.random.chance(0.2) ? 20 : 1
    networks.set(this.origin, this)
  }

  fails(kind: keyof typeof RATES): boolean {
    return this.#faults?.happens(kind, RATES[kind]) ?? false
  }

  /** From now on, this happens too. */
  disturb(faults: Faults): void {
    this.#faults = faults
  }

  repair(): void {
    this.#faults = null
    for (const connection of this.#connections) connection.cut()
  }

  /** Cuts everything, and lets nothing through until `accept`. */
  refuse(): void {
    this.#isRefusing = true
    for (const connection of this.#connections) connection.lose()
  }

  accept(): void {
    this.#isRefusing = false
  }

  close(): void {
    networks.delete(this.origin)
  }

  /** How long something is under way. */
  delay(): number {
    if (this.#faults === null) return this.random.integer(1, 5)
    if (this.fails('slow')) return this.random.integer(500, 8_000)
    return this.random.integer(1, 30) * this.#slowness
  }

  /** The balancer picks a node that listens. */
  node(): ServerNode | null {
    const nodes = this.#isRefusing ? [] : this.#nodes().filter(({ actor }) => actor.isAlive)
    return nodes.length === 0 ? null : this.random.pick(nodes)
  }

  connect(client: Actor, node: ServerNode): Connection {
    const connection = new Connection(this, client, node.actor)
    this.#connections.add(connection)
    connection.onEnd = () => this.#connections.delete(connection)
    return connection
  }
}

type Side = 'client' | 'server'

/** Carries packets in order in both directions, until each side notices its end. */
export class Connection {
  onEnd = () => {}
  /** Called when a side notices the end. */
  readonly onClosed: Record<Side, () => void> = { client: () => {}, server: () => {} }
  readonly #network: Network
  readonly #actors: Record<Side, Actor>
  readonly #isOpen: Record<Side, boolean> = { client: true, server: true }
  readonly #busyUntil: Record<Side, number> = { client: 0, server: 0 }
  #isDeaf = false
  #isLost = false

  constructor(network: Network, client: Actor, server: Actor) {
    this.#network = network
    this.#actors = { client, server }
    const { random, world } = network
    const afterMs = random.integer(20, 6_000)
    if (network.fails('cut')) world.after(afterMs, client, 'is cut', () => this.cut())
    else if (network.fails('deaf')) {
      world.after(afterMs, client, 'gets deaf', () => {
        this.#isDeaf = true
        world.after(DEAF_MS, client, 'is cut', () => this.cut())
      })
    }
    server.onKilled.add(this.#onKilled)
  }

  /** The other side gets the packet, unless the connection ends before. */
  send(to: Side, what: string, receive: () => void): void {
    const { world } = this.#network
    const from = to === 'client' ? 'server' : 'client'
    if (!this.#isOpen[from] || (to === 'client' && this.#isDeaf)) return
    const at = Math.max(this.#busyUntil[to] + 1, world.now + this.#network.delay())
    this.#busyUntil[to] = at
    world.after(at - world.now, this.#actors[to], what, () => {
      if (this.#isOpen[to] && !this.#isLost) receive()
    })
  }

  /** One side ends the connection, and the other notices it later. */
  end(side: Side): void {
    if (!this.#isOpen[side]) return
    const other = side === 'client' ? 'server' : 'client'
    this.send(other, 'reads the end of a connection', () => this.#notice(other))
    this.#notice(side)
  }

  /** Nothing arrives any more, not even what is under way. */
  lose(): void {
    this.#isLost = true
    this.cut()
  }

  /** Both sides notice soon that nothing arrives any more. */
  cut(): void {
    this.#noticeAfter('client', this.#network.random.integer(0, 50))
    this.#noticeAfter('server', this.#network.random.integer(0, 50))
  }

  readonly #onKilled = () => {
    const { random } = this.#network
    this.#isOpen.server = false
    this.#noticeAfter('client', random.chance(0.9) ? random.integer(0, 200) : HEARTBEAT_MS)
  }

  #noticeAfter(side: Side, ms: number): void {
    this.#network.world.after(ms, this.#actors[side], 'loses a connection', () => this.#notice(side))
  }

  #notice(side: Side): void {
    if (!this.#isOpen[side]) return
    this.#isOpen[side] = false
    if (!this.#isOpen.client && !this.#isOpen.server) {
      this.#actors.server.onKilled.delete(this.#onKilled)
      this.onEnd()
    }
    this.onClosed[side]()
  }
}

/** Without the query, and without IDs, which a process counts on from one simulation to the next. */
const pathOf = (path: string) => path.replace(/\?.*/, '').replace(/\b[0-9a-f]{24}\b/g, 'ID')

type InjectMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Replaces `fetch`: requests go over the network of the origin, and get what the server answers, or a gateway. */
export function simulatedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const client = currentActor()
  if (client === undefined) throw new TypeError('fetch is only for actors.')
  const network = networkAt(url)
  const { world, random } = network
  const { method = 'GET', signal } = init
  const body = init.body instanceof ArrayBuffer ? Buffer.from(init.body) : init.body
  const headers = Object.fromEntries(new Headers(init.headers))
  const path = url.slice(network.origin.length)
  return new Promise((resolve, reject) => {
    const fail = (what: string, ms = network.delay()) =>
      world.after(ms, client, what, () => reject(new TypeError('fetch failed')))
    const answer = (status: number, bytes: Buffer, answered: Record<string, string>) =>
      world.after(network.delay(), client, `reads ${status} of ${method}`, () =>
        resolve(responseOf(status, bytes, answered)),
      )
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason))
    const node = network.node()
    if (node === null) return void fail('finds no server')
    const { actor, app } = node
    if (network.fails('lostRequest')) return void fail('loses a request', random.integer(1, 20_000))
    const isLost = network.fails('lostAnswer')
    const foreign = network.fails('foreign') ? random.pick(FOREIGN_ANSWERS) : null
    let isUnderWay = method !== 'GET'
    if (isUnderWay) network.writesUnderWay += 1
    const onArrival = () => {
      if (isUnderWay) network.writesUnderWay -= 1
      isUnderWay = false
    }
    const onKilled = () => {
      onArrival()
      world.after(random.integer(0, 200), client, 'loses a request', () =>
        reject(new TypeError('The other side closed.')),
      )
    }
    actor.onKilled.add(onKilled)
    world.after(network.delay(), actor, `receives ${method} ${pathOf(path)}`, () => {
      onArrival()
      const payload = body === undefined || body === null ? {} : { payload: body as string | Buffer }
      app
        .inject({
          method: method as InjectMethod,
          url: path,
          headers,
          remoteAddress: network.address,
          ...payload,
        })
        .then((response) => {
          actor.onKilled.delete(onKilled)
          if (isLost) return fail('loses an answer', random.integer(1, 20_000))
          if (foreign !== null) return answer(foreign.status, Buffer.from(foreign.body), {})
          return answer(response.statusCode, response.rawPayload, response.headers as Record<string, string>)
        })
        .catch((error: unknown) => world.note(`inject failed: ${error}`))
    })
  })
}

/** As much of a Response as clients read. */
function responseOf(status: number, bytes: Buffer, headers: Record<string, string>): Response {
  const text = bytes.toString()
  return {
    ...{ status, ok: status >= 200 && status < 300 },
    headers: new Headers(
      Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    ),
    text: async () => text,
    json: async () => JSON.parse(text),
    blob: async () => new Blob([new Uint8Array(bytes)]),
  } as Response
}
