import type { Message } from '@proctorpass/shared/schemas/chat'
import type {
  ArrivedMessages,
  Conversation,
  ConversationState,
  PendingMessage,
} from '../chat/engine/types.ts'

const VISITOR = 'visitor0000000000001'
export const ADMIN = 'a'.repeat(24)

export function aMessage(seq: number, from: 'visitor' | 'admin', message = `message ${seq}`): Message {
  return {
    _id: seq.toString(16).padStart(24, '0'),
    clientId: VISITOR,
    senderId: from === 'visitor' ? VISITOR : ADMIN,
    message,
    createdAt: new Date(Date.UTC(2026, 0, 5, 9, 0, seq)).toISOString(),
    seq,
    epoch: 'epoch',
    nonce: `nonce-${seq}`,
  }
}

export function aPending(nonce: string, more: Partial<PendingMessage> = {}): PendingMessage {
  return {
    nonce,
    message: `pending ${nonce}`,
    typedAt: Date.UTC(2026, 0, 5, 10),
    state: 'sending',
    reason: null,
    ...more,
  }
}

/** A fake conversation: the test sets its state; `asked` lists the calls of the view. */
export interface ScriptedConversation extends Conversation {
  change(change: Partial<ConversationState>): void
  arrive(arrived: ArrivedMessages): void
  readonly asked: string[]
}

export function scriptedConversation(initial: Partial<ConversationState> = {}): ScriptedConversation {
  let state: ConversationState = {
    loaded: true,
    messages: [],
    people: {},
    pending: [],
    hasOlder: false,
    hasNewer: false,
    loadingOlder: false,
    read: { visitor: 0, admin: 0 },
    visitorTyping: false,
    adminTyping: false,
    peerOnline: null,
    ask: null,
    erased: false,
    ...initial,
  }
  const listeners = new Set<() => void>()
  const arrivals = new Set<(arrived: ArrivedMessages) => void>()
  const asked: string[] = []
  return {
    clientId: VISITOR,
    asked,
    start() {},
    stop() {},
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onArrived(listener) {
      arrivals.add(listener)
      return () => arrivals.delete(listener)
    },
    send: (message) => asked.push(`send ${message}`),
    retry: (nonce) => asked.push(`retry ${nonce}`),
    cancel: (nonce) => asked.push(`cancel ${nonce}`),
    openAttachments: async () => {
      throw new Error('This conversation has no files.')
    },
    discard: (nonce) => asked.push(`discard ${nonce}`),
    loadOlder: async () => {
      asked.push('older')
    },
    history: {
      loadNewer: async () => {
        asked.push('newer')
      },
      showAround: async (seq) => {
        asked.push(`around ${seq}`)
        return state.messages.some((message) => message.seq === seq)
      },
      showNewest: () => asked.push('newest'),
    },
    markSeen: (seq) => asked.push(`seen ${seq}`),
    erase: async () => void asked.push('erase'),
    rate: async (score, words) => void asked.push(`rate ${score} ${words ?? ''}`),
    download: async () => Promise.reject(new Error('No file is scripted.')),
    setTyping: (typing) => asked.push(`typing ${typing}`),
    change(change) {
      state = { ...state, ...change }
      for (const listener of listeners) listener()
    },
    arrive(arrived) {
      for (const listener of arrivals) listener(arrived)
    },
  }
}
