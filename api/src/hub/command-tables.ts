import type { AdminCommands, VisitorCommands } from '@proctorpass/shared/events'
import {
  AdminReadSchema,
  AdminSendSchema,
  AdminSyncSchema,
  AdminTypingSchema,
  AdminViewingSchema,
  type Page,
  type PageQuery,
  VisitorReadSchema,
  type VisitorSend,
  VisitorSendSchema,
  VisitorSyncSchema,
  VisitorTypingSchema,
} from '@proctorpass/shared/schemas/chat'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import { pointsForBytes } from '../limits/limits.ts'
import { type CommandTable, command } from './commands.ts'
import type { ConversationLookup } from './conversations.ts'
import type { PresenceTracker } from './presence.ts'
import { queuePage } from './send-queue.ts'
import type { SocketLimits } from './socket-limits.ts'
import type { AdminSocket, HubOptions, HubSocket, VisitorSocket } from './types.ts'
import type { TypingIndicators } from './typing.ts'
import type { Viewing } from './viewing.ts'

/** Creates the command tables of both namespaces. Each command validates its input and calls a use case. */
export function createCommandTables(
  { chat, limits, rateLimits }: HubOptions,
  {
    conversations,
    presence,
    viewing,
    typing,
    socketLimits,
    onConversationExists,
  }: {
    conversations: ConversationLookup
    presence: PresenceTracker
    viewing: Viewing
    typing: TypingIndicators
    socketLimits: SocketLimits
    onConversationExists: (socket: HubSocket, clientId: string) => void
  },
): {
  visitor: CommandTable<VisitorCommands, VisitorSocket>
  admin: CommandTable<AdminCommands, AdminSocket>
} {
  async function setTyping(socket: HubSocket, clientId: string, isTyping: boolean): Promise<null> {
    if (!(await conversations.exists(socket, clientId))) return null
    // This is checked each time, because the conversation may have received its first key since this socket was
    // admitted.
    if ((await chat.keysForTyping(socket.data.caller, clientId)) !== null)
      typing.set(socket, clientId, isTyping)
    return null
  }

  /** Reads a page and charges the address as much as the same read over HTTP does. */
  function readPage(socket: HubSocket, clientId: string, query: PageQuery): Promise<Page> {
    return queuePage(socket, async () => {
      const address = socketLimits.addressOf(socket)
      await limits.take('address', address)
      const page = await chat.page(socket.data.caller, clientId, query)
      if (page.epoch !== '') onConversationExists(socket, clientId)
      const points = rateLimits ? pointsForBytes(Buffer.byteLength(JSON.stringify(page))) : 0
      if (points > 0) await limits.charge('address', address, points)
      return page
    })
  }

  async function send({ data }: HubSocket, clientId: string, input: VisitorSend, then?: Then) {
    const { nonce, message, epoch, attachments } = input
    const { caller, site } = data
    return (await chat.send(caller, { clientId, nonce, message, epoch, attachments, then, site })).message
  }

  return {
    visitor: {
      'message:send': command(VisitorSendSchema, (socket: VisitorSocket, input) =>
        send(socket, socket.data.caller.clientId, input),
      ),
      'conversation:sync': command(VisitorSyncSchema, (socket: VisitorSocket, query) =>
        readPage(socket, socket.data.caller.clientId, query),
      ),
      'conversation:read': command(VisitorReadSchema, ({ data }: VisitorSocket, { seq }) =>
        chat.markRead(data.caller, data.caller.clientId, seq),
      ),
      'typing:set': command(VisitorTypingSchema, (socket: VisitorSocket, input) =>
        setTyping(socket, socket.data.caller.clientId, input.typing),
      ),
    },
    admin: {
      'message:send': command(AdminSendSchema, (socket: AdminSocket, input) =>
        send(socket, input.clientId, input, input.then),
      ),
      'conversation:sync': command(AdminSyncSchema, (socket: AdminSocket, { clientId, ...query }) => {
        presence.emitVisitor(clientId, socket)
        return readPage(socket, clientId, query)
      }),
      'conversation:read': command(AdminReadSchema, ({ data }: AdminSocket, { clientId, seq }) =>
        chat.markRead(data.caller, clientId, seq),
      ),
      'typing:set': command(AdminTypingSchema, (socket: AdminSocket, input) =>
        setTyping(socket, input.clientId, input.typing),
      ),
      'viewing:set': command(AdminViewingSchema, (socket: AdminSocket, { clientId }) => {
        viewing.set(socket, clientId)
        return null
      }),
    },
  }
}
