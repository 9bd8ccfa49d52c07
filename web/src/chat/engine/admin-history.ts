import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ConversationRequests } from './requests.ts'
import type { Timeline } from './timeline.ts'
import type { ConversationHistory, ConversationState } from './types.ts'

/** The number of messages before the wanted one. */
const BEFORE = 25
const PAGE_SIZE = 50

export interface AdminHistory extends ConversationHistory {
  /** The state that replaces the timeline's; null while the timeline's is shown. */
  readonly shown: Partial<ConversationState> | null
  /** Loads messages older than those that are shown. */
  loadOlder(): Promise<void>
}

/**
 * Shows older messages around one of them instead of the timeline's. Reading them costs one page, no matter how old
 * they are. They grow in both directions, and join the timeline once they reach it. Only admins have this, because a
 * visitor's chat is smaller without it.
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

  /** Appends the messages, or gives all of them to the timeline once they reach it. */
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
      // A different epoch means that the history was erased or restored.
      if (messages !== null && messages[0]?.epoch !== timeline.epoch) close()
      // Unsent messages follow the newest message, which is not shown here.
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
