import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ConversationRequests } from './requests.ts'
import type { Timeline } from './timeline.ts'
import type { ConversationHistory, ConversationState } from './types.ts'

/** Messages before the wanted one, and of each page. */
const BEFORE = 25
const PAGE_SIZE = 50

export interface AdminHistory extends ConversationHistory {
  /** In place of the timeline's; null while that is shown. */
  readonly shown: Partial<ConversationState> | null
  /** Of the messages that are shown. */
  loadOlder(): Promise<void>
}

/**
 * Older messages around one of them, shown in place of the timeline's: reading them costs one page, however far back
 * they are. They grow in both directions, and join the timeline once they reach it. Only for admins: a visitor's chat is
 * smaller without.
 */
export function createAdminHistory(options: {
  requests: Pick<ConversationRequests, 'sync'>
  sync: { readonly timeline: Timeline; run(): Promise<void>; loadOlder(): Promise<void> }
  onChange: () => void
}): AdminHistory {
  const { requests, sync, onChange } = options
  const { timeline } = sync
  let messages: readonly Message[] | null = null
  let hasOlder = false
  let loadingOlder = false
  let loadingNewer = false

  function close() {
    messages = null
    hasOlder = false
  }

  /** Shows what continues the messages, or gives them to the timeline. */
  function extend(added: readonly Message[]) {
    messages = [...(messages ?? []), ...added]
    const last = messages.at(-1)
    const first = timeline.messages[0]
    if (last === undefined || first === undefined || last.seq + 1 >= first.seq) {
      timeline.addOlder({ messages: [...messages], more: hasOlder })
      close()
    }
  }

  return {
    get shown() {
      // The history was erased or restored.
      if (messages !== null && messages[0]?.epoch !== timeline.epoch) close()
      // Unsent messages follow the newest one.
      return messages && { messages, pending: [], hasOlder, hasNewer: true, loadingOlder }
    },
    showNewest() {
      if (messages === null) return
      close()
      onChange()
    },
    async showAround(seq) {
      if (!timeline.loaded) await sync.run()
      const isIn = (some: readonly Message[]) => some.some((message) => message.seq === seq)
      if (messages !== null && isIn(messages)) return true
      close()
      onChange()
      if (isIn(timeline.messages)) return true
      const { epoch } = timeline
      const page = await requests.sync({ after: Math.max(0, seq - BEFORE - 1), limit: PAGE_SIZE })
      if (page.epoch !== epoch || timeline.epoch !== epoch || !isIn(page.messages)) return false
      messages = []
      hasOlder = (page.messages[0]?.seq ?? 1) > 1
      extend(page.messages)
      onChange()
      return true
    },
    async loadOlder() {
      if (messages === null) return sync.loadOlder()
      const first = messages[0]
      if (first === undefined || !hasOlder || loadingOlder) return
      loadingOlder = true
      onChange()
      try {
        const page = await requests.sync({ before: first.seq, limit: PAGE_SIZE })
        if (messages?.[0] !== first || page.epoch !== first.epoch) return
        messages = [...page.messages, ...messages]
        hasOlder = page.more
      } finally {
        loadingOlder = false
        onChange()
      }
    },
    async loadNewer() {
      const last = messages?.at(-1)
      if (last === undefined || loadingNewer) return
      loadingNewer = true
      try {
        const page = await requests.sync({ after: last.seq, limit: PAGE_SIZE })
        if (messages?.at(-1) !== last) return
        if (page.epoch === last.epoch) extend(page.messages)
        else close()
        onChange()
      } finally {
        loadingNewer = false
      }
    },
  }
}
