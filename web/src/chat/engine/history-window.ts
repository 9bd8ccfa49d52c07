import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ConversationRequests } from './requests.ts'
import type { Timeline } from './timeline.ts'

/** Messages before the wanted one, and of each page. */
const BEFORE = 25
const PAGE_SIZE = 50

/**
 * Older messages around one of them, shown in place of the timeline's: reading them costs one page, however far back
 * they are. It grows in both directions, and is part of the timeline once it reaches it.
 */
export function createHistoryWindow(options: {
  requests: Pick<ConversationRequests, 'sync'>
  timeline: Timeline
  onChange: () => void
}) {
  const { requests, timeline, onChange } = options
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
    get messages() {
      return messages
    },
    get hasOlder() {
      return hasOlder
    },
    close,
    /** Opens at a message that is not in the timeline. False when the conversation does not have it. */
    async open(seq: number): Promise<boolean> {
      const { epoch } = timeline
      const page = await requests.sync({ after: Math.max(0, seq - BEFORE - 1), limit: PAGE_SIZE })
      if (page.epoch !== epoch || timeline.epoch !== epoch) return false
      if (!page.messages.some((message) => message.seq === seq)) return false
      messages = []
      hasOlder = (page.messages[0]?.seq ?? 1) > 1
      extend(page.messages)
      onChange()
      return true
    },
    async loadOlder() {
      const first = messages?.[0]
      if (first === undefined) return
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
