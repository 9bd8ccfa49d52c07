import type { Server as HttpServer, IncomingMessage, RequestListener } from 'node:http'
import { AppError } from '@proctorpass/shared/errors'
import type { AdminCommands, RefusalData, VisitorCommands } from '@proctorpass/shared/events'
import { ACK_TIMEOUT_MS, FRAME_BYTES_MAX } from '@proctorpass/shared/limits'
import { ADMIN_NAMESPACE, SOCKET_PATH, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import {
  AdminReadSchema,
  AdminSendSchema,
  AdminSyncSchema,
  AdminTypingSchema,
  type Page,
  type PageQuery,
  type Transport,
  VisitorHandshakeSchema,
  VisitorReadSchema,
  VisitorSendSchema,
  VisitorSyncSchema,
  VisitorTypingSchema,
} from '@proctorpass/shared/schemas/chat'
import type { FastifyBaseLogger } from 'fastify'
import { Server } from 'socket.io'
import { Compile } from 'typebox/compile'
import type { VisitorCaller } from '../auth/caller.ts'
import { allowanceOf, hashOfKey } from '../auth/visitor-key.ts'
import type { Chat } from '../chat/chat.ts'
import { isOwnOrigin, namesTwoHosts } from '../http/origin.ts'
import type { RefusalLog } from '../http/refusal-log.ts'
import { type Limits, pointsForBytes } from '../limits/limits.ts'
import type { Redis } from '../redis/redis.ts'
import { newBudget } from './budget.ts'
import { type CommandTable, command, serveCommands } from './commands.ts'
import { createConversations } from './conversations.ts'
import { OpenSockets } from './open-sockets.ts'
import { createPresence } from './presence.ts'
import { redisAdapter } from './redis-adapter.ts'
import { audienceRooms, conversationRoom, sessionRoom, visitorRooms } from './rooms.ts'
import { type Connection, inTurn, WAITING_BYTES_MAX, waitingBytes } from './send-queue.ts'
import type {
  AdminNamespace,
  AdminSocket,
  HubObserver,
  NodeEvents,
  VisitorNamespace,
  VisitorSocket,
} from './types.ts'
import { createTyping } from './typing.ts'
import { guardUpgrades } from './upgrades.ts'

/** Tabs and devices of one visitor. */
const SOCKETS_PER_CONVERSATION = 20
/** Forty people behind one address, with a few tabs each, and room beside. */
const SOCKETS_PER_ADDRESS = 400
/** In a minute, of each reason: the others are counted. */
const REFUSED_SOCKETS_LISTED = 1
const SLOW_SWEEP_MS = 5_000
/** A client comes in by one or two doors, and again when its page does. */
const KNOCKS_PER_CONNECTION = 20
/** How often the session of a living socket is looked at again. */
const RECHECK_MS = 15_000

/** What the hub needs to know of sign-ins. */
export interface HubAuth {
  /** Rejects with AppError when the token is not good. */
  verifyAccess(token: string): Promise<{ userId: string; userName: string; sid: string; roles: string[] }>
  /** Whether the sign-in and its role still stand. */
  isAdminSession(sid: string, userId: string): Promise<boolean>
  onSessionsEnded(listener: (sids: string[]) => void): void
}

export interface HubOptions {
  server: HttpServer
  chat: Chat
  auth: HubAuth
  transport: Transport
  /** An origin. */
  publicUrl: string
  /** False lifts every limit on how often and how many; limits on size stay. */
  rateLimits: boolean
  /** Of an address: what its upgrades and the pages that its sockets read cost. */
  limits: Limits
  /** The address that limits count, IPv6 by its /64. */
  addressOf: (request: IncomingMessage) => string
  log: FastifyBaseLogger
  refusals: RefusalLog
  observer?: HubObserver | undefined
  /** Where other processes are told, and tell; null when this is the only one. */
  redis: Redis | null
}

/** What a connection counts against, until it closes. */
interface Holding {
  address: string
  /** Of OpenSockets. */
  keys: string[]
}

export interface Hub {
  /** Open ones of this process. */
  sockets(): { visitor: number; admin: number }
  /** No new sockets; the living ones are told to go, and reconnect elsewhere or later. */
  drain(): void
}

/** Socket.IO beside the HTTP server: two namespaces, because visitors and admins share nothing. */
export function openHub(options: HubOptions): Hub {
  const {
    server,
    chat,
    auth,
    transport,
    publicUrl,
    rateLimits,
    limits,
    addressOf,
    log,
    refusals,
    observer,
    redis,
  } = options
  let draining = false

  const requestListeners = server.listeners('request') as RequestListener[]
  const io = new Server(server, {
    path: SOCKET_PATH,
    serveClient: false,
    // No long polling, so no sticky sessions; the chat has a polling path of its own.
    transports: ['websocket'],
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: FRAME_BYTES_MAX,
    connectTimeout: ACK_TIMEOUT_MS,
  })
  // Engine.IO answers only upgrades: requests at its path get the app's limits, headers and shape of errors.
  server.removeAllListeners('request')
  for (const listener of requestListeners) server.on('request', listener)
  guardUpgrades(server, async (request) => {
    try {
      await admit(request)
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal'
      observer?.refused(code)
      if (code === 'internal') log.error({ err: error }, 'An upgrade failed')
      else if (refusals.mayList(`upgrade ${code}`, REFUSED_SOCKETS_LISTED))
        log.info({ code }, 'upgrade refused')
      throw error
    }
  })
  if (redis !== null) io.adapter(redisAdapter(redis))
  const visitors = io.of(VISITOR_NAMESPACE) as unknown as VisitorNamespace
  const admins = io.of(ADMIN_NAMESPACE) as unknown as AdminNamespace
  const typing = createTyping(visitors, admins, chat.keysOf)
  const presence = createPresence(visitors, admins, (news) => sayElsewhere('presence', news))
  const conversations = createConversations(chat.exists)
  const open = new OpenSockets()
  const holdings = new WeakMap<object, Holding>()

  if (rateLimits) io.engine.on('connection', boundKnocking)
  io.use((_socket, next) => next(refusal('invalid-input', 'There is nobody here.')))

  visitors.use(async (socket, decide) => {
    const next = telling(socket, decide)
    if (transport !== 'push') return next(pushDisabled())
    const handshake: unknown = socket.handshake.auth
    if (!visitorHandshake.Check(handshake)) {
      return next(refusal('invalid-input', 'The clientId or the key is missing or not of the right form.'))
    }
    const { clientId, key } = handshake
    const keyHash = key === undefined ? null : hashOfKey(key)
    const { address } = holdingOf(socket)
    if (!enter(`address:${address}`, SOCKETS_PER_ADDRESS, socket)) return next(tooMany())
    const caller: VisitorCaller = { side: 'visitor', clientId, keyHash, address, connection: socket.id }
    try {
      conversations.known(socket, clientId, (await chat.keysOf(caller, clientId)) !== null)
    } catch (error) {
      if (error instanceof AppError && error.code !== 'unavailable') {
        return next(refusal('unauthorized', error.message))
      }
      log.error({ err: error }, 'a visitor could not be let in')
      return next(refusal('unavailable', 'The chat is not available right now.'))
    }
    if (!enter(`conversation:${allowanceOf(caller)}`, SOCKETS_PER_CONVERSATION, socket))
      return next(tooMany())
    socket.data.caller = caller
    next()
  })

  admins.use(async (socket, decide) => {
    const next = telling(socket, decide)
    if (transport !== 'push') return next(pushDisabled())
    try {
      const { token } = socket.handshake.auth
      if (typeof token !== 'string') throw new AppError('unauthorized', 'Sign in to connect.')
      const { userId, userName, sid, roles } = await auth.verifyAccess(token)
      if (!roles.includes(ADMIN_ROLE)) throw new AppError('forbidden', 'Your account may not do this.')
      const { address } = holdingOf(socket)
      if (!enter(`address:${address}`, SOCKETS_PER_ADDRESS, socket)) return next(tooMany())
      socket.data.caller = { side: 'admin', userId, userName, sid, connection: socket.id }
      watchSession(socket)
      next()
    } catch (error) {
      if (error instanceof AppError && error.code !== 'unavailable') {
        return next(refusal('unauthorized', error.message))
      }
      log.error({ err: error }, 'An admin could not be let in')
      next(refusal('unavailable', 'Signing in is not possible right now.'))
    }
  })

  function hasConversation(socket: VisitorSocket | AdminSocket, clientId: string): void {
    conversations.known(socket, clientId, true)
    if (socket.data.caller.side === 'visitor') presence.visitorJoined(socket as VisitorSocket)
  }

  async function setTyping(
    socket: VisitorSocket | AdminSocket,
    clientId: string,
    isTyping: boolean,
  ): Promise<null> {
    if (!(await conversations.exists(socket, clientId))) return null
    // Asked each time: it may have got its first key since this socket came.
    if ((await chat.keysOf(socket.data.caller, clientId)) !== null) typing.set(socket, clientId, isTyping)
    return null
  }

  /** Counts like the same read over HTTP. */
  function readPage(socket: VisitorSocket | AdminSocket, clientId: string, query: PageQuery): Promise<Page> {
    return inTurn(socket, async () => {
      const { address } = holdingOf(socket)
      await limits.take('address', address)
      const page = await chat.page(socket.data.caller, clientId, query)
      if (page.epoch !== '') hasConversation(socket, clientId)
      const points = rateLimits ? pointsForBytes(Buffer.byteLength(JSON.stringify(page))) : 0
      if (points > 0) await limits.charge('address', address, points)
      return page
    })
  }

  const visitorTable: CommandTable<VisitorCommands, VisitorSocket> = {
    'message:send': command(VisitorSendSchema, async ({ data }: VisitorSocket, input) => {
      return (await chat.send(data.caller, { clientId: data.caller.clientId, ...pick(input) })).message
    }),
    'conversation:sync': command(VisitorSyncSchema, (socket: VisitorSocket, query) => {
      return readPage(socket, socket.data.caller.clientId, query)
    }),
    'conversation:read': command(VisitorReadSchema, ({ data }: VisitorSocket, { seq }) =>
      chat.markRead(data.caller, data.caller.clientId, seq),
    ),
    'typing:set': command(VisitorTypingSchema, (socket: VisitorSocket, input) =>
      setTyping(socket, socket.data.caller.clientId, input.typing),
    ),
  }

  const adminTable: CommandTable<AdminCommands, AdminSocket> = {
    'message:send': command(AdminSendSchema, async ({ data }: AdminSocket, input) => {
      return (await chat.send(data.caller, { clientId: input.clientId, ...pick(input) })).message
    }),
    'conversation:sync': command(AdminSyncSchema, (socket: AdminSocket, { clientId, ...query }) => {
      presence.tellOf(clientId, socket)
      return readPage(socket, clientId, query)
    }),
    'conversation:read': command(AdminReadSchema, ({ data }: AdminSocket, { clientId, seq }) =>
      chat.markRead(data.caller, clientId, seq),
    ),
    'typing:set': command(AdminTypingSchema, (socket: AdminSocket, input) =>
      setTyping(socket, input.clientId, input.typing),
    ),
  }

  const serving = { log, refusals, limited: rateLimits, observer }
  const serveVisitor = serveCommands<VisitorCommands, VisitorSocket>(visitorTable, serving)
  const serveAdmin = serveCommands<AdminCommands, AdminSocket>(adminTable, serving)

  // One for all sockets: each costs an entry in a list.
  const sentToVisitor = (event: string) => observer?.sent('visitor', event)
  const sentToAdmin = (event: string) => observer?.sent('admin', event)

  visitors.on('connection', (socket) => {
    socket.data.budget = newBudget(Date.now())
    socket.data.typingIn = null
    socket.join(visitorRooms(socket.data.caller))
    serveVisitor(socket)
    if (observer) socket.onAnyOutgoing(sentToVisitor)
    presence.greet(socket)
    const { clientId } = socket.data.caller
    void conversations.exists(socket, clientId).then((exists) => {
      if (exists) presence.visitorJoined(socket)
    })
    socket.on('disconnect', () => {
      typing.left(socket)
      presence.visitorLeft(socket)
    })
    forgetHandshake(socket)
  })

  admins.on('connection', (socket) => {
    socket.data.budget = newBudget(Date.now())
    socket.data.typingIn = null
    socket.join(sessionRoom(socket.data.caller.sid))
    serveAdmin(socket)
    if (observer) socket.onAnyOutgoing(sentToAdmin)
    presence.adminJoined(socket)
    socket.on('disconnect', () => {
      typing.left(socket)
      presence.adminLeft()
    })
    forgetHandshake(socket)
  })

  auth.onSessionsEnded((sids) => {
    const rooms = sids.map(sessionRoom)
    admins.local.in(rooms).disconnectSockets(true)
    if (redis !== null) admins.in(rooms).disconnectSockets(true)
  })

  chat.listen({
    messageCreated(message, except, keyHashes) {
      const rooms = audienceRooms(message.clientId, keyHashes)
      for (const id of rooms.flatMap((name) => [...(visitors.adapter.rooms.get(name) ?? [])])) {
        const socket = visitors.sockets.get(id)
        if (socket !== undefined) hasConversation(socket, message.clientId)
      }
      const room = visitors.to(rooms)
      ;(except === undefined ? room : room.except(except)).emit('message:created', message)
      ;(except === undefined ? admins : admins.except(except)).emit('message:created', message)
    },
    conversationRead(fact, except, keyHashes) {
      const room = visitors.to(audienceRooms(fact.clientId, keyHashes))
      ;(except === undefined ? room : room.except(except)).emit('conversation:read', fact)
      ;(except === undefined ? admins : admins.except(except)).emit('conversation:read', fact)
    },
    // They hear nothing any more; gone they are also not counted as present.
    keyAdded(clientId, keyHashes) {
      const [all, audience] = [conversationRoom(clientId), audienceRooms(clientId, keyHashes)]
      visitors.local.in(all).except(audience).disconnectSockets(true)
      if (redis !== null) visitors.in(all).except(audience).disconnectSockets(true)
    },
    // Of other processes' conversations too: each tells its own admins, so that nobody hears it more often.
    unreadChanged(fact) {
      admins.local.emit('unread:changed', fact)
    },
    unreadChangedHere(counts) {
      sayElsewhere('unread', counts)
    },
  })

  if (redis !== null) {
    hear('presence', presence.hear)
    hear('unread', (counts) => {
      for (const [clientId, adminUnread] of counts) chat.unreadChangedElsewhere(clientId, adminUnread)
    })
  }

  const slowSweep = setInterval(() => dropSlowReaders(io), SLOW_SWEEP_MS).unref()

  function sayElsewhere<E extends keyof NodeEvents>(event: E, ...said: Parameters<NodeEvents[E]>): void {
    if (redis !== null) admins.serverSideEmit(event, ...said)
  }

  /** What cannot be understood comes from another release; thrown here it would end the process. */
  function hear<E extends keyof NodeEvents>(event: E, listener: NodeEvents[E]): void {
    const on = admins.on as (event: string, listener: (...said: Parameters<NodeEvents[E]>) => void) => void
    on.call(admins, event, (...said) => {
      try {
        ;(listener as (...said: Parameters<NodeEvents[E]>) => void)(...said)
      } catch (error) {
        log.warn({ err: error, event }, 'another process said something odd')
      }
    })
  }

  /** Counts an upgrade like a request, refused ones too. */
  async function admit(request: IncomingMessage): Promise<void> {
    await limits.take('address', addressOf(request))
    if (draining) {
      throw new AppError('unavailable', 'The server is restarting. Please connect again.', {
        retryAfterMs: 2_000,
      })
    }
    if (namesTwoHosts(request)) throw new AppError('invalid-input', 'The request names two hosts.')
    const { origin, host } = request.headers
    // No Origin at all is no browser: it holds no person's cookies or pages, and needs a credential all the same.
    if (origin !== undefined && !isOwnOrigin(origin, host, publicUrl)) {
      throw new AppError('forbidden', 'Pages of this origin may not connect.')
    }
  }

  /** Whom a namespace does not let in is counted, and named in the log by the connection alone. */
  function telling(socket: VisitorSocket | AdminSocket, decide: (refusal?: Refusal) => void) {
    return (refused?: Refusal) => {
      if (refused !== undefined) {
        const { code } = refused.data
        observer?.refused(code)
        if (refusals.mayList(`socket ${code}`, REFUSED_SOCKETS_LISTED)) {
          log.info({ connection: socket.id, namespace: socket.nsp.name, code }, 'socket refused')
        }
      }
      decide(refused)
    }
  }

  /** Counts a socket while its connection lives; a refused one too, so that knocking in a loop has an end. */
  function enter(key: string, max: number, socket: VisitorSocket | AdminSocket): boolean {
    if (!rateLimits) return true
    if (!open.enter(key, max)) return false
    holdingOf(socket).keys.push(key)
    return true
  }

  /** By the connection: a client may come in by it more than once, and its request is forgotten after the first time. */
  function holdingOf({ conn, request }: VisitorSocket | AdminSocket): Holding {
    const known = holdings.get(conn)
    if (known !== undefined) return known
    const holding: Holding = { address: addressOf(request), keys: [] }
    holdings.set(conn, holding)
    conn.once('close', () => {
      for (const key of holding.keys) open.leave(key)
    })
    return holding
  }

  /**
   * A socket is as good as its session, also beyond the life of the token it came with. What ends one in this process
   * is told at once; another process (`npm run admin`) tells nobody, so the session is looked at again and again.
   */
  function watchSession(socket: AdminSocket): void {
    const recheck = async () => {
      const { sid, userId } = socket.data.caller
      try {
        if (!(await auth.isAdminSession(sid, userId))) return void socket.disconnect(true)
      } catch (error) {
        log.error({ err: error }, 'A session could not be looked at')
      }
      timer = setTimeout(recheck, RECHECK_MS).unref()
    }
    let timer = setTimeout(recheck, RECHECK_MS).unref()
    socket.conn.once('close', () => clearTimeout(timer))
  }

  return {
    sockets: () => ({ visitor: visitors.sockets.size, admin: admins.sockets.size }),
    drain() {
      draining = true
      clearInterval(slowSweep)
      presence.leave()
      // The transport closes, not the namespace: after that a client reconnects by itself.
      for (const client of Object.values(engineClients(io))) client.close()
    },
  }
}

const visitorHandshake = Compile(VisitorHandshakeSchema)
/** How a packet begins that asks for a namespace. */
const CONNECT = '0'

/** Only the named fields of a message, whatever else came with it. */
function pick({ nonce, message, epoch }: { nonce: string; message: string; epoch?: string }) {
  return { nonce, message, epoch }
}

type Refusal = Error & { data: RefusalData }

function refusal(code: RefusalData['code'], message: string, retryAfterMs?: number): Refusal {
  const data: RefusalData = retryAfterMs === undefined ? { code } : { code, retryAfterMs }
  return Object.assign(new Error(message), { data })
}

function pushDisabled(): Refusal {
  return refusal('push-disabled', 'Messages are polled here.')
}

function tooMany(): Refusal {
  return refusal('rate-limited', 'Too many connections at once. Please try again in half a minute.', 30_000)
}

interface EngineClient extends Connection {
  close: (discard?: boolean) => void
}

function engineClients(io: Server): Record<string, EngineClient> {
  return (io.engine as unknown as { clients: Record<string, EngineClient> }).clients
}

/** No budget counts what asks to be let in, and each time costs the check of a token: in a loop it would stop all others. */
function boundKnocking(connection: EngineClient & NodeJS.EventEmitter): void {
  let knocks = 0
  connection.on('data', (data) => {
    if (typeof data === 'string' && data.startsWith(CONNECT) && ++knocks > KNOCKS_PER_CONNECTION) {
      connection.close(true)
    }
  })
}

/** What waits in memory for a reader who does not read is bounded. */
function dropSlowReaders(io: Server): void {
  for (const client of Object.values(engineClients(io))) {
    if (waitingBytes(client) > WAITING_BYTES_MAX) client.close(true)
  }
}

/** The request's headers are half of what an idle socket weighs, and nobody asks for them again. */
function forgetHandshake(socket: VisitorSocket | AdminSocket): void {
  socket.handshake.headers = {}
  ;(socket.conn as { request: unknown }).request = null
}
