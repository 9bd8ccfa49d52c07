import type { ErrorCode } from '@proctorpass/shared/errors'
import type { AdminCommands, AdminFacts, VisitorCommands, VisitorFacts } from '@proctorpass/shared/events'
import type { Namespace, Socket } from 'socket.io'
import type { AdminCaller, VisitorCaller } from '../auth/caller.ts'
import type { Budget } from './budget.ts'
import type { News } from './peer-presence.ts'

/** Told of what only the hub sees, for the metrics. */
export interface HubObserver {
  /** A command, or a socket that wanted to come in. */
  refused(reason: ErrorCode): void
  /** A fact went out to one socket of this process. */
  sent(audience: 'visitor' | 'admin', event: string): void
}

/** What the server knows of a living socket. */
export interface SocketData<C> {
  caller: C
  budget: Budget
  /** The conversation in which this socket said last that its person is typing. */
  typingIn: string | null
  /** The conversation that this socket spoke of last. */
  conversation?: { clientId: string; exists: Promise<boolean> } | undefined
  /** Settles once the page that this socket asked for last has been answered. */
  lastPage?: Promise<void>
}

type NoEvents = Record<string, never>
/** What processes say to each other, never to a client. */
export interface NodeEvents {
  presence: (news: News) => void
  /** The unread counts of these conversations changed; a list of the latest. */
  unread: (counts: [clientId: string, adminUnread: number][]) => void
}
export type VisitorNamespace = Namespace<VisitorCommands, VisitorFacts, NoEvents, SocketData<VisitorCaller>>
export type VisitorSocket = Socket<VisitorCommands, VisitorFacts, NoEvents, SocketData<VisitorCaller>>
export type AdminNamespace = Namespace<AdminCommands, AdminFacts, NodeEvents, SocketData<AdminCaller>>
export type AdminSocket = Socket<AdminCommands, AdminFacts, NodeEvents, SocketData<AdminCaller>>
