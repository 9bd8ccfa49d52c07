import { AppError } from '@proctorpass/shared/errors'
import type { RefusalData } from '@proctorpass/shared/events'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import { VisitorHandshakeSchema } from '@proctorpass/shared/schemas/chat'
import type { Server } from 'socket.io'
import type { VisitorCaller } from '../auth/caller.ts'
import { claimedLimitKey, hashOfKey } from '../auth/visitor-key.ts'
import { ERRORS_LISTED } from '../http/refusal-log.ts'
import { compiledOnce } from '../http/validation.ts'
import type { ConversationLookup } from './conversations.ts'
import type { EngineConnection } from './send-queue.ts'
import type { SocketLimits } from './socket-limits.ts'
import type { AdminSocket, HubOptions, HubSocket, Namespaces, VisitorSocket } from './types.ts'
import { REFUSED_SOCKETS_LISTED } from './upgrades.ts'

/** How many namespace connects a WebSocket may send. Clients send one or two, plus one per reconnect. */
const NAMESPACE_CONNECTS_MAX = 20
/** The first character of an Engine.IO message that holds a namespace connect. */
const NAMESPACE_CONNECT = '0'

const visitorHandshake = compiledOnce(VisitorHandshakeSchema)

/** Decides which sockets may join which namespace, and as which caller. */
export function guardNamespaces(
  io: Server,
  { visitors, admins }: Namespaces,
  { chat, auth, transport, rateLimits, log, refusals, observer }: HubOptions,
  { conversations, socketLimits }: { conversations: ConversationLookup; socketLimits: SocketLimits },
): void {
  if (rateLimits) io.engine.on('connection', limitNamespaceConnects)
  io.use((_socket, next) => next(refusal('invalid-input', 'Unknown namespace.')))

  visitors.use(async (socket, next) => decide(socket, next, await refuseVisitor(socket)))
  admins.use(async (socket, next) => decide(socket, next, await refuseAdmin(socket)))

  /** Counts and logs a refusal. The log names only the connection, because the handshake may hold secrets. */
  function decide(socket: HubSocket, next: (refused?: Refusal) => void, refused: Refusal | undefined): void {
    if (refused !== undefined) {
      const { code } = refused.data
      observer?.refused(code)
      if (refusals.mayList(`socket ${code}`, REFUSED_SOCKETS_LISTED)) {
        log.info({ connection: socket.id, namespace: socket.nsp.name, code }, 'socket refused')
      }
    }
    next(refused)
  }

  /** Sets the socket's caller, or returns why it is refused. */
  async function refuseVisitor(socket: VisitorSocket): Promise<Refusal | undefined> {
    if (transport !== 'push') return pushDisabled()
    const handshake: unknown = socket.handshake.auth
    if (!visitorHandshake().Check(handshake)) {
      return refusal('invalid-input', 'The clientId or the key is missing or malformed.')
    }
    const { clientId, key, site } = handshake
    const keyHash = key === undefined ? null : hashOfKey(key)
    if (!socketLimits.admitToAddress(socket)) return tooMany()
    const address = socketLimits.addressOf(socket)
    const caller: VisitorCaller = { side: 'visitor', clientId, keyHash, address, connection: socket.id }
    try {
      conversations.set(socket, clientId, (await chat.keysOf(caller, clientId)) !== null)
    } catch (error) {
      return refusalOf(error, "The chat isn't available right now.")
    }
    if (!socketLimits.admitToConversation(socket, claimedLimitKey(caller))) return tooMany()
    socket.data.caller = caller
    socket.data.site = site
  }

  async function refuseAdmin(socket: AdminSocket): Promise<Refusal | undefined> {
    if (transport !== 'push') return pushDisabled()
    try {
      const { token } = socket.handshake.auth
      if (typeof token !== 'string') throw new AppError('unauthorized', 'Sign in to connect.')
      const { userId, userName, sid, roles } = await auth.verifyAccess(token)
      if (!roles.includes(ADMIN_ROLE))
        throw new AppError('forbidden', "Your account isn't allowed to do this.")
      if (!socketLimits.admitToAddress(socket)) return tooMany()
      const address = socketLimits.addressOf(socket)
      socket.data.caller = { side: 'admin', userId, userName, sid, address, connection: socket.id }
    } catch (error) {
      return refusalOf(error, "Signing in isn't possible right now.")
    }
  }

  function refusalOf(error: unknown, unavailable: string): Refusal {
    if (error instanceof AppError && error.code !== 'unavailable') {
      return refusal('unauthorized', error.message)
    }
    if (refusals.mayList('namespace connect failed', ERRORS_LISTED)) {
      log.error({ err: error }, 'namespace connect failed')
    }
    return refusal('unavailable', unavailable)
  }
}

type Refusal = Error & { data: RefusalData }

function refusal(code: RefusalData['code'], message: string, retryAfterMs?: number): Refusal {
  const data: RefusalData = retryAfterMs === undefined ? { code } : { code, retryAfterMs }
  return Object.assign(new Error(message), { data })
}

function pushDisabled(): Refusal {
  return refusal('push-disabled', 'This server uses polling.')
}

function tooMany(): Refusal {
  return refusal('rate-limited', 'Too many connections at once. Try again in 30 seconds.', 30_000)
}

/**
 * Bounds a connection's namespace connects, because the command budget does not count them, and each costs a token
 * check.
 */
function limitNamespaceConnects(connection: EngineConnection & NodeJS.EventEmitter): void {
  let connects = 0
  connection.on('data', (data) => {
    if (typeof data !== 'string' || !data.startsWith(NAMESPACE_CONNECT)) return
    connects += 1
    if (connects > NAMESPACE_CONNECTS_MAX) connection.close(true)
  })
}
