import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { ErrorCode } from '@proctorpass/shared/errors'
import type { AdminCommands, AdminFacts, VisitorCommands, VisitorFacts } from '@proctorpass/shared/events'
import type { Transport } from '@proctorpass/shared/schemas/chat'
import type { FastifyBaseLogger } from 'fastify'
import type { Namespace, Socket } from 'socket.io'
import type { AdminCaller, VisitorCaller } from '../auth/caller.ts'
import type { Chat } from '../chat/chat.ts'
import type { RefusalLog } from '../http/refusal-log.ts'
import type { Limits } from '../limits/limits.ts'
import type { Redis } from '../redis/redis.ts'
import type { NowChanges } from '../reports/now-changes.ts'
import type { Budget } from './budget.ts'
import type { PeerPresenceEvent } from './peer-presence.ts'
import type { PeerViewingEvent } from './viewing.ts'

/** The part of authentication that the hub uses. */
export interface HubAuth {
  /** Rejects with AppError when the token is not valid. */
  verifyAccess(token: string): Promise<{ userId: string; userName: string; sid: string; roles: string[] }>
  /** Whether the session exists and its user still has the role. */
  isAdminSession(sid: string, userId: string): Promise<boolean>
  onSessionsEnded(listener: (sids: string[]) => void): void
}

/** Reports what only the hub sees, for the metrics. */
export interface HubObserver {
  /** A command, an upgrade or a namespace connect was refused. */
  refused(reason: ErrorCode): void
  /** A fact was sent to one socket of this node. */
  sent(audience: 'visitor' | 'admin', event: string): void
}

export interface HubOptions {
  server: HttpServer
  chat: Chat
  auth: HubAuth
  transport: Transport
  /** An origin. */
  publicUrl: string
  /** False lifts every limit on rates and numbers; limits on sizes stay. */
  rateLimits: boolean
  nowChanges: Pick<NowChanges, 'onChanged'>
  /** Charged by address for upgrades and for the pages that sockets read. */
  limits: Limits
  /** The address that limits count: IPv6 by its /64. */
  addressOf: (request: IncomingMessage) => string
  log: FastifyBaseLogger
  refusals: RefusalLog
  observer?: HubObserver | undefined
  /** Connects the nodes; null when this is the only one. */
  redis: Redis | null
}

/** State of an open socket. */
export interface SocketData<C> {
  caller: C
  /** Of a visitor's frame: the id of its site, as the frame says it. */
  site?: string | undefined
  budget: Budget
  /** The conversation in which this socket is typing. */
  typingIn: string | null
  /** The conversation that this socket's tab shows. */
  viewing: string | null
  /** The last conversation that this socket named, and whether it exists. */
  conversation?: { clientId: string; exists: Promise<boolean> } | undefined
  /** The tail of the send queue: settles once the last page that this socket asked for was answered. */
  lastPage?: Promise<void>
}

type NoEvents = Record<string, never>
/** Events between nodes, never sent to a client. */
export interface PeerEvents {
  presence: (event: PeerPresenceEvent) => void
  viewing: (event: PeerViewingEvent) => void
  /** The latest unread counts of the conversations that changed. */
  unread: (counts: [clientId: string, adminUnread: number][]) => void
  /** What `GET /reports/now` tells has changed. */
  now: () => void
}
export type VisitorNamespace = Namespace<VisitorCommands, VisitorFacts, NoEvents, SocketData<VisitorCaller>>
export type VisitorSocket = Socket<VisitorCommands, VisitorFacts, NoEvents, SocketData<VisitorCaller>>
export type AdminNamespace = Namespace<AdminCommands, AdminFacts, PeerEvents, SocketData<AdminCaller>>
export type AdminSocket = Socket<AdminCommands, AdminFacts, PeerEvents, SocketData<AdminCaller>>
export type HubSocket = VisitorSocket | AdminSocket
export interface Namespaces {
  visitors: VisitorNamespace
  admins: AdminNamespace
}
