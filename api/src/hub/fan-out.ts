import type { Chat } from '../chat/chat.ts'
import type { Peers } from './peers.ts'
import { audienceRooms, conversationRoom } from './rooms.ts'
import type { Namespaces, VisitorSocket } from './types.ts'

/** Sends the facts of the chat to the sockets that may receive them, and unread counts to the other nodes. */
export function fanOut(
  chat: Chat,
  { visitors, admins }: Namespaces,
  {
    peers,
    hasPeers,
    onConversationExists,
  }: {
    peers: Peers
    hasPeers: boolean
    onConversationExists: (socket: VisitorSocket, clientId: string) => void
  },
): void {
  chat.listen({
    messageCreated(message, except, keyHashes) {
      const rooms = audienceRooms(message.clientId, keyHashes)
      for (const id of rooms.flatMap((name) => [...(visitors.adapter.rooms.get(name) ?? [])])) {
        const socket = visitors.sockets.get(id)
        if (socket !== undefined) onConversationExists(socket, message.clientId)
      }
      const excluded = except ?? []
      visitors.to(rooms).except(excluded).emit('message:created', message)
      admins.except(excluded).emit('message:created', message)
    },
    conversationRead(fact, except, keyHashes) {
      const excluded = except ?? []
      visitors.to(audienceRooms(fact.clientId, keyHashes)).except(excluded).emit('conversation:read', fact)
      admins.except(excluded).emit('conversation:read', fact)
    },
    // Sockets without the key receive no facts any more; disconnected, they do not count as present either.
    keyAdded(clientId, keyHashes) {
      const [all, audience] = [conversationRoom(clientId), audienceRooms(clientId, keyHashes)]
      visitors.local.in(all).except(audience).disconnectSockets(true)
      if (hasPeers) visitors.in(all).except(audience).disconnectSockets(true)
    },
    // Changes by other nodes included: each node emits to its own admins, so that none receives a fact twice.
    unreadChanged(fact) {
      admins.local.emit('unread:changed', fact)
    },
    unreadChangedLocally(counts) {
      peers.emit('unread', counts)
    },
  })
  peers.on('unread', (counts) => {
    for (const [clientId, adminUnread] of counts) chat.peerUnreadChanged(clientId, adminUnread)
  })
}
