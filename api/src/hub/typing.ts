import type { Side, TypingChanged } from '@proctorpass/shared/events'
import type { Caller } from '../auth/caller.ts'
import type { Chat } from '../chat/chat.ts'
import { audienceRooms } from './rooms.ts'
import type { AdminNamespace, AdminSocket, VisitorNamespace, VisitorSocket } from './types.ts'

/** Of one side of a conversation, this often at most. */
const CHANGE_EVERY_MS = 1_000
/** A repeated start is sent on after this time: receivers end the indicator TYPING_TTL_MS after the last one. */
const REPEAT_AFTER_MS = 2_000

/** One side of a conversation in which a socket of this process is typing, or was a moment ago. */
interface Line {
  clientId: string
  by: Side
  /** Ids of the sockets that type. */
  typing: Set<string>
  sent: boolean
  sentAt: number
  /** The socket that changed it last: its person knows. */
  changedBy: { id: string; caller: Caller }
  /** Runs until the next change may be sent. */
  timer: NodeJS.Timeout | undefined
}

/**
 * Sends who is typing. Changes that come too fast are merged: the last state is sent when its time comes, and nothing
 * when it is the one that was sent before.
 */
export function createTyping(visitors: VisitorNamespace, admins: AdminNamespace, keysOf: Chat['keysOf']) {
  const lines = new Map<string, Line>()

  function update(key: string, line: Line): void {
    if (line.timer !== undefined) return
    const typing = line.typing.size > 0
    const now = performance.now()
    if (typing === line.sent && !(typing && now - line.sentAt >= REPEAT_AFTER_MS)) return
    line.sent = typing
    line.sentAt = now
    line.timer = setTimeout(() => {
      line.timer = undefined
      update(key, line)
      if (!line.sent && line.timer === undefined) lines.delete(key)
    }, CHANGE_EVERY_MS).unref()
    const { clientId, by, changedBy } = line
    void emit({ clientId, by, typing }, changedBy)
  }

  /** To those who may hear of the conversation now. */
  async function emit(fact: TypingChanged, { id, caller }: Line['changedBy']): Promise<void> {
    // Without an answer, or when it is not theirs any more, the indicator ends after TYPING_TTL_MS.
    const keyHashes = await keysOf(caller, fact.clientId).catch(() => null)
    if (keyHashes === null) return
    visitors.to(audienceRooms(fact.clientId, keyHashes)).except(id).emit('typing:changed', fact)
    admins.except(id).emit('typing:changed', fact)
  }

  function change(socket: VisitorSocket | AdminSocket, clientId: string, typing: boolean): void {
    const by = socket.data.caller.side
    const key = `${by}:${clientId}`
    let line = lines.get(key)
    if (line === undefined) {
      if (!typing) return
      const changedBy = { id: socket.id, caller: socket.data.caller }
      line = { clientId, by, typing: new Set(), sent: false, sentAt: 0, changedBy, timer: undefined }
      lines.set(key, line)
    }
    if (typing) line.typing.add(socket.id)
    else line.typing.delete(socket.id)
    line.changedBy = { id: socket.id, caller: socket.data.caller }
    update(key, line)
  }

  return {
    /** Only for a conversation that exists. */
    set(socket: VisitorSocket | AdminSocket, clientId: string, typing: boolean): void {
      const { typingIn } = socket.data
      if (typingIn !== null && (!typing || typingIn !== clientId)) this.left(socket)
      if (!typing || !socket.connected) return
      socket.data.typingIn = clientId
      change(socket, clientId, true)
    },
    /** The socket closed, or its person stopped or types in another conversation. */
    left(socket: VisitorSocket | AdminSocket): void {
      const { typingIn } = socket.data
      if (typingIn === null) return
      socket.data.typingIn = null
      change(socket, typingIn, false)
    },
  }
}
