import type { Chat } from '../chat/chat.ts'
import type { KeyHashes } from '../storage/model/conversation/visitor-keys.ts'
import type { Peers } from './peers.ts'
import { audienceRooms, conversationRoom, userRoom } from './rooms.ts'
import type { Namespaces, VisitorSocket } from './types.ts'

/** Sends the chat's facts to the sockets that may receive them, and unread counts to the other nodes. */
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
  // Sockets without one of the conversation's keys receive no facts. Disconnecting them also stops counting them as
  // present.
  function disconnectOthers(clientId: string, keyHashes: KeyHashes): void {
    const [all, audience] = [conversationRoom(clientId), audienceRooms(clientId, keyHashes)]
    visitors.local.in(all).except(audience).disconnectSockets(true)
    if (hasPeers) visitors.in(all).except(audience).disconnectSockets(true)
  }

  chat.listen({
    messageCreated(message, except, keyHashes) {
      const rooms = audienceRooms(message.clientId, keyHashes)
      // Socket.IO encodes a fact before it looks for sockets. Most messages go to a conversation with one tab, which
      // sent them.
      let hasVisitors = hasPeers
      for (const room of rooms) {
        for (const id of visitors.adapter.rooms.get(room) ?? []) {
          const socket = visitors.sockets.get(id)
          if (socket !== undefined) onConversationExists(socket, message.clientId)
          if (id !== except) hasVisitors = true
        }
      }
      const excluded = except ?? []
      if (hasVisitors) visitors.to(rooms).except(excluded).emit('message:created', message)
      if (hasPeers || admins.sockets.size > 0) admins.except(excluded).emit('message:created', message)
    },
    messageEdited(message, keyHashes) {
      visitors.to(audienceRooms(message.clientId, keyHashes)).emit('message:edited', message)
      admins.emit('message:edited', message)
    },
    conversationRead(fact, except, keyHashes) {
      const excluded = except ?? []
      visitors.to(audienceRooms(fact.clientId, keyHashes)).except(excluded).emit('conversation:read', fact)
      admins.except(excluded).emit('conversation:read', fact)
    },
    keyAdded: disconnectOthers,
    conversationChanged(summary) {
      if (hasPeers || admins.sockets.size > 0) admins.emit('conversation:changed', summary)
    },
    activityCreated(activity) {
      if (hasPeers || admins.sockets.size > 0) admins.emit('activity:created', activity)
    },
    scheduledChanged(fact) {
      if (hasPeers || admins.sockets.size > 0) admins.emit('scheduled:changed', fact)
    },
    conversationSeen(userId, mark) {
      admins.to(userRoom(userId)).emit('conversation:seen', mark)
    },
    conversationErased(clientId, keyHashes) {
      // Sockets whose keys went with the history receive this too, because they still show it.
      visitors.to(conversationRoom(clientId)).emit('conversation:erased', { clientId })
      disconnectOthers(clientId, keyHashes)
      admins.emit('conversation:erased', { clientId })
    },
    askChanged(clientId, fact, keyHashes) {
      visitors.to(audienceRooms(clientId, keyHashes)).emit('ask:changed', fact)
    },
    // This includes changes by other nodes: each node emits to its own admins, so that no admin receives a fact twice.
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
