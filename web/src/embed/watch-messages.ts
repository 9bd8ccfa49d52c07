import type { VisitorChat } from '../chat/engine/chat.ts'
import type { Visitor } from '../chat/engine/visitor.ts'
import type { Host } from './host.ts'
import type { Visits } from './visits.ts'

/** Tells the site's page what happens in the conversation, but not its texts. The returned function ends this. */
export function watchMessages(
  { conversation }: VisitorChat,
  visitor: Visitor,
  host: Pick<Host, 'send'>,
  visits: Pick<Visits, 'remember'>,
): () => void {
  const waiting = new Set<string>()
  let exists: boolean | null = null

  function look(): void {
    const { loaded, messages, pending } = conversation.getState()
    for (const { nonce } of pending) waiting.add(nonce)
    for (let index = messages.length - 1; index >= 0 && waiting.size > 0; index--) {
      const nonce = messages[index]?.nonce
      if (nonce !== undefined && waiting.delete(nonce)) host.send({ type: 'event', name: 'sent' })
    }
    for (const nonce of waiting) if (!pending.some((entry) => entry.nonce === nonce)) waiting.delete(nonce)
    const now = messages.length + pending.length > 0
    // Until the conversation has been read, the answer is not known.
    if ((now || loaded) && now !== exists) {
      exists = now
      host.send({ type: 'exists', exists })
    }
    const [message] = messages
    if (message) visits.remember(visitor, message.epoch)
  }
  look()
  const stops = [
    conversation.subscribe(look),
    conversation.onArrived(({ live }) => {
      if (live) host.send({ type: 'event', name: 'received' })
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
