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
  /** Rejects with an AppError if the token is not valid. */
  verifyAccess(token: string): Promise<{ userId: string; userName: string; sid: string; roles: string[] }>
  /** Whether the session exists and its user still has the role. */
  isAdminSession(sid: string, userId: string): Promise<boolean>
  onSessionsEnded(listener: (sids: string[]) => void): void
}

/** Reports to the metrics what only the hub sees. */
export interface HubObserver {
  /** Called when a command, an upgrade, or a namespace connect was refused. */
  refused(reason: ErrorCode): void
  /** Called when a fact was sent to one of this node's sockets. */
  sent(audience: 'visitor' | 'admin', event: string): void
}

export interface HubOptions {
  server: HttpServer
  chat: Chat
  auth: HubAuth
  transport: Transport
  /** The server's public origin. */
  publicUrl: string
  /** If false, no limit on rates and numbers applies; limits on sizes stay. */
  rateLimits: boolean
  nowChanges: Pick<NowChanges, 'onChanged'>
  /** Charged by address for upgrades, and for the pages that sockets read. */
  limits: Limits
  /** Returns the address that limits count, which for IPv6 is its /64. */
  addressOf: (request: IncomingMessage) => string
  log: FastifyBaseLogger
  refusals: RefusalLog
  observer?: HubObserver | undefined
  /** Connects the nodes. Null if this is the only one. */
  redis: Redis | null
}

/** An open socket's state. */
export interface SocketData<C> {
  caller: C
  /** The ID of the site whose frame the visitor uses, as the frame claims it. */
  site?: string | undefined
  budget: Budget
  /** The conversation in which this socket is typing. */
  typingIn: string | null
  /** The conversation that this socket's tab shows. */
  viewing: string | null
  /** The last conversation that this socket named, and whether it exists. */
  conversation?: { clientId: string; exists: Promise<boolean> } | undefined
  /** The tail of the send queue, which settles once the last page that this socket asked for was answered. */
  lastPage?: Promise<void>
}

type NoEvents = Record<string, never>
/** The events between nodes, which are never sent to a client. */
export interface PeerEvents {
  presence: (event: PeerPresenceEvent) => void
  viewing: (event: PeerViewingEvent) => void
  /** The newest unread counts of the conversations that changed. */
  unread: (counts: [clientId: string, adminUnread: number][]) => void
  /** Sent when the answer of `GET /reports/now` has changed. */
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
