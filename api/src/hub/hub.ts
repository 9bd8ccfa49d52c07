import type { Server as HttpServer, RequestListener } from 'node:http'
import { ACK_TIMEOUT_MS, FRAME_BYTES_MAX } from '@proctorpass/shared/limits'
import { ADMIN_NAMESPACE, SOCKET_PATH, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { Server } from 'socket.io'
import { guardNamespaces } from './admission.ts'
import { newBudget } from './budget.ts'
import { createCommandTables } from './command-tables.ts'
import { serveCommands } from './commands.ts'
import { createConversationLookup } from './conversations.ts'
import { fanOut } from './fan-out.ts'
import { createNowChanged } from './now-changed.ts'
import { connectPeers } from './peers.ts'
import { createPresenceTracker } from './presence.ts'
import { redisAdapter } from './redis-adapter.ts'
import { sessionRoom, userRoom, visitorRooms } from './rooms.ts'
import { dropSlowReaders, engineConnections, joinWrites } from './send-queue.ts'
import { closeEndedSessions } from './sessions.ts'
import { createSocketLimits } from './socket-limits.ts'
import type {
  AdminNamespace,
  HubOptions,
  HubSocket,
  Namespaces,
  VisitorNamespace,
  VisitorSocket,
} from './types.ts'
import { createTypingIndicators } from './typing.ts'
import { guardUpgrades } from './upgrades.ts'
import { createViewing } from './viewing.ts'

/** Opens Socket.IO beside the HTTP server, with two namespaces, because visitors and admins share no commands. */
export function openHub(options: HubOptions) {
  const { server, chat, nowChanges, rateLimits, log, refusals, observer, redis } = options
  const hasPeers = redis !== null
  let draining = false

  const io = attachServer(server)
  guardUpgrades(options, () => draining)
  if (redis !== null) io.adapter(redisAdapter(redis))
  const namespaces: Namespaces = {
    visitors: io.of(VISITOR_NAMESPACE) as unknown as VisitorNamespace,
    admins: io.of(ADMIN_NAMESPACE) as unknown as AdminNamespace,
  }
  const { visitors, admins } = namespaces
  const peers = connectPeers(admins, hasPeers, log)
  const typing = createTypingIndicators(namespaces, chat.keysForTyping)
  const nowChanged = createNowChanged(admins, () => peers.emit('now'))
  const nowChangedHere = () => nowChanged({ byThisNode: false })
  peers.on('now', nowChangedHere)
  nowChanges.onChanged(() => nowChanged({ byThisNode: true }))
  // Each node notices by itself who comes or leaves, on any node.
  const presence = createPresenceTracker(namespaces, {
    emitToPeers: (event) => peers.emit('presence', event),
    onVisitors: nowChangedHere,
  })
  peers.on('presence', presence.receive)
  const viewing = createViewing(admins, {
    emitToPeers: (event) => peers.emit('viewing', event),
    onAdmins: nowChangedHere,
  })
  peers.on('viewing', viewing.receive)
  const conversations = createConversationLookup(chat.exists)
  const socketLimits = createSocketLimits(options)

  function onConversationExists(socket: HubSocket, clientId: string): void {
    if (conversations.isKnown(socket, clientId)) return
    conversations.set(socket, clientId, true)
    if (isVisitor(socket)) presence.visitorJoined(socket)
  }

  guardNamespaces(io, namespaces, options, { conversations, socketLimits })
  const parts = { conversations, presence, viewing, typing, socketLimits, onConversationExists }
  const tables = createCommandTables(options, parts)
  const serving = { log, refusals, rateLimits, observer }
  const serveVisitor = serveCommands(VISITOR_NAMESPACE, tables.visitor, serving)
  const serveAdmin = serveCommands(ADMIN_NAMESPACE, tables.admin, serving)

  // All sockets share these functions, which saves a closure for each.
  const sentToVisitor = (event: string) => observer?.sent('visitor', event)
  const sentToAdmin = (event: string) => observer?.sent('admin', event)

  visitors.on('connection', (socket) => {
    socket.data.budget = newBudget(Date.now())
    socket.data.typingIn = null
    socket.join(visitorRooms(socket.data.caller))
    serveVisitor(socket)
    if (observer) socket.onAnyOutgoing(sentToVisitor)
    presence.emitAdmins(socket)
    void conversations.exists(socket, socket.data.caller.clientId).then((exists) => {
      if (exists) presence.visitorJoined(socket)
    })
    socket.on('disconnect', () => {
      typing.stop(socket)
      presence.visitorLeft(socket)
    })
    releaseHandshake(socket)
  })

  admins.on('connection', (socket) => {
    socket.data.budget = newBudget(Date.now())
    socket.data.typingIn = null
    socket.data.viewing = null
    socket.join([sessionRoom(socket.data.caller.sid), userRoom(socket.data.caller.userId)])
    serveAdmin(socket)
    if (observer) socket.onAnyOutgoing(sentToAdmin)
    presence.adminJoined(socket)
    viewing.joined(socket)
    socket.on('disconnect', () => {
      typing.stop(socket)
      presence.adminLeft()
      viewing.left()
    })
    releaseHandshake(socket)
  })

  closeEndedSessions(admins, options)
  fanOut(chat, namespaces, { peers, hasPeers, onConversationExists })
  const stopDropping = dropSlowReaders(io)
  joinWrites(io)

  return {
    /** Counts this node's open sockets. */
    sockets: (): { visitor: number; admin: number } => ({
      visitor: visitors.sockets.size,
      admin: admins.sockets.size,
    }),
    /** Whether this admin has an open socket on any node. */
    isAdminOnline: viewing.isOnline,
    isAnyAdminOnline: presence.isAnyAdminOnline,
    /** Whether a visible tab of this admin shows the conversation, on any node. */
    isViewing: viewing.isViewing,
    /** Whether a visitor who has a conversation has an open socket, on any node. */
    isOnline: presence.isOnline,
    /** Counts visitors who have a conversation and an open socket, on any node, each once. */
    visitorsOnline: presence.countVisitors,
    /** Refuses new sockets and closes the open ones. Their clients reconnect to another node, or later. */
    drain(): void {
      draining = true
      stopDropping()
      presence.leave()
      viewing.leave()
      // Closing the transport instead of the namespace makes the client reconnect by itself.
      for (const connection of engineConnections(io)) connection.close()
    },
  }
}

export type Hub = ReturnType<typeof openHub>

function attachServer(server: HttpServer): Server {
  const requestListeners = server.listeners('request') as RequestListener[]
  const io = new Server(server, {
    path: SOCKET_PATH,
    serveClient: false,
    // Long polling is off, so no sticky sessions are needed. Without WebSockets, the chat polls over REST.
    transports: ['websocket'],
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: FRAME_BYTES_MAX,
    connectTimeout: ACK_TIMEOUT_MS,
  })
  // Engine.IO handles only upgrades. Plain requests to its path get the app's limits, headers, and error format.
  server.removeAllListeners('request')
  for (const listener of requestListeners) server.on('request', listener)
  return io
}

function isVisitor(socket: HubSocket): socket is VisitorSocket {
  return socket.data.caller.side === 'visitor'
}

/** Frees the request's headers, which are half of an idle socket's memory and are not needed again. */
function releaseHandshake(socket: HubSocket): void {
  socket.handshake.headers = {}
  ;(socket.conn as { request: unknown }).request = null
}
