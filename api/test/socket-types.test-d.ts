import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Socket } from 'socket.io'
import type { AdminPush, Push, VisitorPush } from '../../web/src/chat/engine/push.ts'
import type { AdminSocket, VisitorSocket } from '../src/hub/types.ts'

// Never run: tsc fails here when an event, its input or its answer changes in the hub or in the engine only.

type HubEvents<S> =
  S extends Socket<infer Commands, infer Facts, infer _Peers, infer _Data> ? [Facts, Commands] : never
type EngineEvents<P> = P extends Push<infer Facts, infer Commands> ? [Facts, Commands] : never
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export const visitorEvents: Same<HubEvents<VisitorSocket>, EngineEvents<VisitorPush>> = true
export const adminEvents: Same<HubEvents<AdminSocket>, EngineEvents<AdminPush>> = true

export async function commandsAreTyped(visitor: VisitorPush, admin: AdminPush, clientId: string) {
  const sent = await visitor.ask((socket) => socket.emitWithAck('message:send', { nonce: '', message: '' }))
  const message: Message | undefined = sent?.ok ? sent.data : undefined
  await admin.ask((socket) => socket.emitWithAck('conversation:read', { clientId, seq: message?.seq ?? 0 }))
  // @ts-expect-error No such command.
  await visitor.ask((socket) => socket.emitWithAck('message:sent', { nonce: '', message: '' }))
  // @ts-expect-error A visitor's command names no conversation.
  await visitor.ask((socket) => socket.emitWithAck('message:send', { clientId, nonce: '', message: '' }))
  // @ts-expect-error An admin's command names its conversation.
  await admin.ask((socket) => socket.emitWithAck('conversation:read', { seq: 1 }))
}

export function factsAreTyped(visitor: VisitorPush, socket: VisitorSocket, message: Message) {
  socket.emit('message:created', message)
  // @ts-expect-error No such fact.
  socket.emit('message:stored', message)
  // @ts-expect-error Each fact has a handler.
  visitor.handle({ 'message:created': () => {} })
}
