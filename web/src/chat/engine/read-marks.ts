import type { Side } from '@proctorpass/shared/events'
import type { ReadMarks } from '@proctorpass/shared/schemas/chat'
import type { ChatLink } from './link.ts'
import type { ConversationRequests } from './requests.ts'
import type { TimelineView } from './timeline.ts'

const SEND_WAIT_MS = 250

/** Holds both sides' read marks, and sends this side's own. */
export function createReadMarks(options: {
  side: Side
  link: ChatLink
  requests: ConversationRequests
  timeline: TimelineView
  onChange: () => void
}) {
  const { side, link, requests, timeline, onChange } = options
  let marks: ReadMarks = { visitor: 0, admin: 0 }
  let seen = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Moves marks forward. */
  function advance({ visitor = 0, admin = 0 }: Partial<ReadMarks>) {
    if (visitor <= marks.visitor && admin <= marks.admin) return
    marks = { visitor: Math.max(marks.visitor, visitor), admin: Math.max(marks.admin, admin) }
    onChange()
  }

  function stopTimer() {
    clearTimeout(timer)
    timer = undefined
  }
  link.onStop(stopTimer)

  /** Sends this side's mark unless the server has it. A mark that failed is sent again after the next sync. */
  function send() {
    stopTimer()
    if (seen <= marks[side] || !link.isStarted) return
    const { epoch } = timeline
    requests.markRead(seen).then(
      ({ seq }) => {
        if (epoch === timeline.epoch) advance({ [side]: seq })
      },
      () => {},
    )
  }

  return {
    get marks() {
      return marks
    },
    advance,
    send,
    markSeen(seq: number) {
      if (seq <= seen || seq <= marks[side]) return
      seen = seq
      timer ??= setTimeout(send, SEND_WAIT_MS)
    },
    reset() {
      marks = { visitor: 0, admin: 0 }
      seen = 0
    },
  }
}
