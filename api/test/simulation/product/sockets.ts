import { EventEmitter } from 'node:events'
import { type Connection, networkAt, type ServerNode } from './network.ts'
import { type Actor, currentActor, type World } from './world.ts'

/**
 * Socket.IO in a world without sockets: as much of its server and its client as the product uses. The packets are
 * copied, arrive in order, and are lost with their connection. Nodes reach each other over a bus, as over Redis.
 */

type Values = unknown[]
type Listener = (...args: Values) => void
type Next = (refused?: Error & { data?: unknown }) => void

const copied = <T>(value: T): T => (value === undefined ? value : JSON.parse(JSON.stringify(value)))

const servers = new Map<Actor, Server>()
let bus: { world: World; isUp: boolean } | null = null

/** The servers of this world. A node that starts joins the bus if it asks for an adapter. */
export function openBus(world: World): { isUp: boolean } {
  servers.clear()
  bus = { world, isUp: true }
  return bus
}

/** The part of Socket.IO's server that the hub uses. */
export class Server {
  readonly engine = Object.assign(new EventEmitter(), { clients: {} as Record<string, unknown> })
  readonly actor: Actor
  hasPeers = false
  readonly #namespaces = new Map<string, Namespace>()

  constructor() {
    const actor = currentActor()
    if (actor === undefined) throw new Error('A server is for an actor.')
    this.actor = actor
    servers.set(actor, this)
    actor.onKilled.add(() => servers.delete(actor))
  }

  use(): void {}

  adapter(): void {
    this.hasPeers = true
  }

  of(name: string): Namespace {
    const namespace = this.#namespaces.get(name) ?? new Namespace(this, name)
    this.#namespaces.set(name, namespace)
    return namespace
  }

  /** The other nodes do something with the same namespace, unless the bus is down. */
  publish(name: string, what: string, act: (namespace: Namespace) => void): void {
    if (!this.hasPeers || bus === null || !bus.isUp) return
    const { world } = bus
    for (const other of servers.values()) {
      if (other !== this && other.hasPeers)
        world.after(world.random.integer(0, 4), other.actor, what, () => act(other.of(name)))
    }
  }
}

interface Target {
  rooms: readonly string[]
  except: readonly string[]
  isLocal: boolean
}

const EVERYONE: Target = { rooms: [], except: [], isLocal: false }
const listOf = (value: string | readonly string[]) => (typeof value === 'string' ? [value] : value)

class Broadcast {
  readonly #namespace: Namespace
  readonly #target: Target

  constructor(namespace: Namespace, target: Target) {
    this.#namespace = namespace
    this.#target = target
  }

  to(rooms: string | string[]): Broadcast {
    return this.#with({ rooms: [...this.#target.rooms, ...listOf(rooms)] })
  }

  in(rooms: string | string[]): Broadcast {
    return this.to(rooms)
  }

  except(rooms: string | string[]): Broadcast {
    return this.#with({ except: [...this.#target.except, ...listOf(rooms)] })
  }

  emit(event: string, ...args: Values): void {
    this.#everywhere(`gets ${event} over the bus`, copied(args), (socket, values) =>
      socket.emit(event, ...values),
    )
  }

  disconnectSockets(): void {
    this.#everywhere('gets the end of sockets over the bus', [], (socket) => socket.disconnect())
  }

  #everywhere(what: string, values: Values, act: (socket: ServerSocket, values: Values) => void): void {
    const target = this.#target
    const here = (namespace: Namespace) => {
      for (const socket of namespace.socketsIn(target)) act(socket, values)
    }
    here(this.#namespace)
    if (!target.isLocal) this.#namespace.server.publish(this.#namespace.name, what, here)
  }

  #with(change: Partial<Target>): Broadcast {
    return new Broadcast(this.#namespace, { ...this.#target, ...change })
  }
}

export class Namespace extends EventEmitter {
  readonly server: Server
  readonly name: string
  readonly sockets = new Map<string, ServerSocket>()
  readonly adapter = { rooms: new Map<string, Set<string>>() }
  readonly local: Broadcast
  readonly #everyone: Broadcast
  readonly #guards: ((socket: ServerSocket, next: Next) => void)[] = []

  constructor(server: Server, name: string) {
    super()
    this.server = server
    this.name = name
    this.#everyone = new Broadcast(this, EVERYONE)
    this.local = new Broadcast(this, { ...EVERYONE, isLocal: true })
  }

  use(guard: (socket: ServerSocket, next: Next) => void): void {
    this.#guards.push(guard)
  }

  to(rooms: string | string[]): Broadcast {
    return this.#everyone.to(rooms)
  }

  in(rooms: string | string[]): Broadcast {
    return this.#everyone.to(rooms)
  }

  except(rooms: string | string[]): Broadcast {
    return this.#everyone.except(rooms)
  }

  override emit(event: string | symbol, ...args: Values): boolean {
    if (event === 'connection') return super.emit(event, ...args)
    this.#everyone.emit(String(event), ...args)
    return true
  }

  serverSideEmit(event: string, ...args: Values): void {
    const sent = copied(args)
    this.server.publish(this.name, `gets ${event} over the bus`, (namespace) =>
      namespace.#receive(event, sent),
    )
  }

  #receive(event: string, args: Values): void {
    super.emit(event, ...args)
  }

  *socketsIn({ rooms, except }: Target): Iterable<ServerSocket> {
    for (const socket of [...this.sockets.values()]) {
      const isIn = rooms.length === 0 || rooms.some((room) => socket.rooms.has(room))
      if (isIn && !except.some((room) => socket.rooms.has(room))) yield socket
    }
  }

  /** Admits a socket or refuses it, as the guard decides. */
  connect(socket: ServerSocket): void {
    const [guard] = this.#guards
    guard?.(socket, (refused) => {
      if (refused !== undefined) return socket.refuse(refused)
      if (socket.hasEnded) return
      this.sockets.set(socket.id, socket)
      socket.join(socket.id)
      socket.connected = true
      socket.admit()
      super.emit('connection', socket)
    })
  }
}

let sockets = 0

export class ServerSocket extends EventEmitter {
  readonly id: string
  readonly nsp: Namespace
  readonly data = {}
  readonly rooms = new Set<string>()
  readonly handshake: { auth: unknown; headers: object }
  readonly conn: EventEmitter & {
    request: unknown
    writeBuffer: unknown[]
    transport: object
    close: () => void
  }
  readonly request: object
  connected = false
  hasEnded = false
  readonly #connection: Connection
  readonly #client: ClientSocket
  readonly #any: Listener[] = []
  readonly #anyOutgoing: ((event: string) => void)[] = []
  #late: (() => void) | null = null

  constructor(nsp: Namespace, connection: Connection, client: ClientSocket, auth: unknown) {
    super()
    sockets += 1
    this.id = `socket-${sockets}`
    this.nsp = nsp
    this.#connection = connection
    this.#client = client
    this.handshake = { auth, headers: {} }
    this.request = { headers: {}, socket: { remoteAddress: client.network.address } }
    this.conn = Object.assign(new EventEmitter(), {
      ...{ request: null, writeBuffer: [], transport: {} },
      close: () => this.disconnect(),
    })
    nsp.server.engine.clients[this.id] = this.conn
    connection.onClosed.server = () => this.#ended()
  }

  join(rooms: string | readonly string[]): void {
    for (const room of listOf(rooms)) {
      this.rooms.add(room)
      const members = this.nsp.adapter.rooms.get(room) ?? new Set()
      this.nsp.adapter.rooms.set(room, members.add(this.id))
    }
  }

  onAny(listener: Listener): void {
    this.#any.push(listener)
  }

  onAnyOutgoing(listener: (event: string) => void): void {
    this.#anyOutgoing.push(listener)
  }

  override emit(event: string | symbol, ...args: Values): boolean {
    if (!this.connected) return false
    const name = String(event)
    const values = copied(args)
    for (const listener of this.#anyOutgoing) listener(name)
    const send = () =>
      this.#connection.send('client', `gets ${name}`, () => this.#client.receive(name, copied(values)))
    if (name === 'message:created') this.#sendDisturbed(send)
    else send()
    return true
  }

  /** Facts of several nodes overtake each other, and are lost with the bus between them. */
  #sendDisturbed(send: () => void): void {
    const { network } = this.#client
    const before = this.#late
    this.#late = null
    if (before === null && network.fails('late')) {
      this.#late = send
      return
    }
    if (!network.fails('dropped')) send()
    if (network.fails('doubled')) send()
    before?.()
  }

  disconnect(): this {
    this.#connection.end('server')
    return this
  }

  admit(): void {
    this.#connection.send('client', 'is connected', () => this.#client.admitted())
  }

  refuse(error: Error & { data?: unknown }): void {
    const { message, data } = error
    const refused = Object.assign(new Error(message), { data: copied(data) })
    this.#connection.send('client', 'is refused', () => this.#client.refused(refused))
  }

  /** A command of the client. */
  receive(event: string, args: Values, acknowledge: ((answer: unknown) => void) | null): void {
    if (!this.connected) return
    for (const listener of this.#any) listener(event, ...args, ...(acknowledge === null ? [] : [acknowledge]))
  }

  reply(answer: unknown, receive: (answer: unknown) => void): void {
    const sent = copied(answer)
    this.#connection.send('client', 'gets an acknowledgement', () => receive(sent))
  }

  #ended(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    delete this.nsp.server.engine.clients[this.id]
    for (const room of this.rooms) {
      const members = this.nsp.adapter.rooms.get(room)
      members?.delete(this.id)
      if (members?.size === 0) this.nsp.adapter.rooms.delete(room)
    }
    this.nsp.sockets.delete(this.id)
    this.conn.emit('close')
    if (!this.connected) return
    this.connected = false
    super.emit('disconnect', 'transport close')
  }
}

/** The part of Socket.IO's client that the engine uses. */
export class ClientSocket {
  connected = false
  readonly network: ReturnType<typeof networkAt>
  readonly #actor: Actor
  readonly #ackTimeoutMs: number
  readonly #listeners = new Map<string, Listener>()
  readonly #unanswered = new Set<(error: Error) => void>()
  #connection: Connection | null = null
  #peer: ServerSocket | null = null

  constructor(url: string, auth: unknown, ackTimeoutMs: number) {
    const actor = currentActor()
    if (actor === undefined) throw new Error('A socket is for an actor.')
    this.#actor = actor
    this.#ackTimeoutMs = ackTimeoutMs
    this.network = networkAt(url)
    const { pathname } = new URL(url)
    const { world } = this.network
    const node = this.network.refusesSockets ? null : this.network.node()
    if (node === null) {
      world.after(this.network.delay(), actor, 'finds no server for a socket', () =>
        this.refused(new Error('websocket error')),
      )
      return
    }
    this.#open(node, pathname, copied(auth))
  }

  #open(node: ServerNode, pathname: string, auth: unknown): void {
    const connection = this.network.connect(this.#actor, node)
    this.#connection = connection
    connection.onClosed.client = () => this.#closed()
    connection.send('server', 'receives a socket', () => {
      const server = servers.get(node.actor)
      if (server === undefined) return
      this.#peer = new ServerSocket(server.of(pathname), connection, this, auth)
      this.#peer.nsp.connect(this.#peer)
    })
  }

  on(event: string, listener: Listener): this {
    this.#listeners.set(event, listener)
    return this
  }

  off(): this {
    this.#listeners.clear()
    return this
  }

  emit(event: string, ...args: Values): void {
    const sent = copied(args)
    this.#connection?.send('server', `receives ${event}`, () =>
      this.#peer?.receive(event, copied(sent), null),
    )
  }

  emitWithAck(event: string, ...args: Values): Promise<unknown> {
    const sent = copied(args)
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer)
        this.#unanswered.delete(fail)
        act()
      }
      const fail = (error: Error) => settle(() => reject(error))
      const timer = setTimeout(() => fail(new Error('operation has timed out')), this.#ackTimeoutMs)
      this.#unanswered.add(fail)
      this.#connection?.send('server', `receives ${event}`, () => {
        const peer = this.#peer
        const acknowledge = (answer: unknown) =>
          peer?.reply(answer, (received) => settle(() => resolve(received)))
        peer?.receive(event, copied(sent), acknowledge)
      })
    })
  }

  disconnect(): this {
    this.#connection?.end('client')
    return this
  }

  admitted(): void {
    this.connected = true
    this.#listeners.get('connect')?.()
  }

  refused(error: Error): void {
    this.#listeners.get('connect_error')?.(error)
  }

  receive(event: string, args: Values): void {
    this.#listeners.get(event)?.(...args)
  }

  #closed(): void {
    const wasConnected = this.connected
    this.connected = false
    for (const fail of [...this.#unanswered]) fail(new Error('socket has been disconnected'))
    if (wasConnected) this.#listeners.get('disconnect')?.('transport close')
    else this.#listeners.get('connect_error')?.(new Error('websocket error'))
  }
}

export const io = (url: string, { auth, ackTimeout }: { auth: unknown; ackTimeout: number }) =>
  new ClientSocket(url, auth, ackTimeout)

/** Replaces the adapter for Redis. */
export const createAdapter = () => null
