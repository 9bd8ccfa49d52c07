import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ConversationRequests } from './requests.ts'
import type { Timeline } from './timeline.ts'
import type { ConversationHistory, ConversationState } from './types.ts'

/** Messages before the wanted one, and of each page. */
const BEFORE = 25
const PAGE_SIZE = 50

export interface HistoryWindow extends ConversationHistory {
  /** Null while the timeline is shown. */
  readonly shown: Pick<ConversationState, 'messages' | 'hasOlder' | 'hasNewer'> | null
  loadOlder(): Promise<void>
  close(): void
}

/**
 * Older messages around one of them, shown in place of the timeline's: reading them costs one page, however far back
 * they are. It grows in both directions, and is part of the timeline once it reaches it.
 */
export function createHistoryWindow(options: {
  requests: Pick<ConversationRequests, 'sync'>
  timeline: Timeline
  /** Resolves when the timeline has its first page. */
  whenLoaded: () => Promise<void>
  onChange: () => void
}): HistoryWindow {
  const { requests, timeline, whenLoaded, onChange } = options
  let messages: readonly Message[] | null = null
  let hasOlder = false
  let loadingNewer = false

  function close() {
    messages = null
    hasOlder = false
  }

  /** Shows what continues the window, or gives it to the timeline. */
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
      return messages && { messages, hasOlder, hasNewer: true }
    },
    close,
    showNewest() {
      if (messages === null) return
      close()
      onChange()
    },
    async showAround(seq) {
      await whenLoaded()
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
      const first = messages?.[0]
      if (first === undefined || !hasOlder) return
      const page = await requests.sync({ before: first.seq, limit: PAGE_SIZE })
      if (messages?.[0] !== first || page.epoch !== first.epoch) return
      messages = [...page.messages, ...messages]
      hasOlder = page.more
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
