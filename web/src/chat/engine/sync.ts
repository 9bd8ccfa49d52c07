import { GAP_WAIT_MS } from '@proctorpass/shared/limits'
import type { Message, Page, People } from '@proctorpass/shared/schemas/chat'
import type { ChatLink } from './link.ts'
import type { ConversationRequests } from './requests.ts'
import { createTimeline } from './timeline.ts'

/** Messages of the first page and of each older one. */
const PAGE_SIZE = 50

/** Fills the timeline of one conversation from pages and facts, and closes its gaps. */
export function createSync(options: {
  link: ChatLink
  requests: ConversationRequests
  onChange: () => void
  /** `live`: they arrived after the first page. */
  onShown: (messages: readonly Message[], live: boolean) => void
  onPage: (page: Page) => void
  /** The history was erased or restored: nothing known of it is valid. */
  onReset: () => void
  /** Everything was read. */
  onSynced: () => void
  /** Whether the names of senders are read that no page named. */
  wantsNames: boolean
}) {
  const { link, requests, onChange, onShown, onPage, onReset, onSynced, wantsNames } = options
  const timeline = createTimeline()
  let running: Promise<void> | null = null
  let queued: Promise<void> | null = null
  let syncedConnection: number | null = null
  let gapTimer: ReturnType<typeof setTimeout> | undefined
  let loadingOlder = false
  let people: People = {}

  /** Reads everything newer. One at a time: a call during another waits for one that begins after it. */
  function run(): Promise<void> {
    if (running === null) {
      running = readAll().finally(() => {
        running = null
      })
      return running
    }
    queued ??= running
      .catch(() => {})
      .then(() => {
        queued = null
        return run()
      })
    return queued
  }

  /** As `run`, for a caller that leaves the next attempt to the schedule. */
  const tryRun = () => run().catch(() => {})

  async function readAll() {
    const { connectionId } = link
    try {
      if (timeline.loaded) await readNewer()
      if (!timeline.loaded) take(await requests.sync({ limit: PAGE_SIZE }), false)
    } catch (error) {
      link.reportFailure(error)
      throw error
    }
    syncedConnection = connectionId
    link.reportSuccess()
    watchGap()
    onSynced()
  }

  async function readNewer() {
    for (;;) {
      const page = await requests.sync({ after: timeline.cursor })
      if (!timeline.hasEpoch(page.epoch)) {
        reset()
        return
      }
      take(page, true)
      if (!page.more || page.messages.length === 0) return
    }
  }

  function take(page: Page, live: boolean) {
    takePeople(page)
    const shown = live ? timeline.addNewer(page) : timeline.addNewest(page)
    // First, so that no state shows a message both as stored and as pending.
    onShown(shown, live)
    onPage(page)
  }

  function takePeople(page: Page) {
    if (page.people) people = { ...people, ...page.people }
  }

  /** A fact names no sender: a page does. */
  async function readSenders(messages: readonly Message[]) {
    const unknown = messages.find(({ senderId, clientId }) => senderId !== clientId && !people[senderId])
    if (!wantsNames || unknown === undefined) return
    takePeople(await requests.sync({ after: unknown.seq - 1, limit: 1 }))
    onChange()
  }

  function reset() {
    timeline.reset()
    onReset()
  }

  /** Facts of two nodes can overtake each other, so a gap gets time to close by itself. */
  function watchGap() {
    if (timeline.loaded && timeline.hasGap) {
      gapTimer ??= setTimeout(() => {
        gapTimer = undefined
        void tryRun()
      }, GAP_WAIT_MS)
    } else stopWatching()
  }

  function stopWatching() {
    clearTimeout(gapTimer)
    gapTimer = undefined
  }
  link.onStop(stopWatching)

  return {
    timeline,
    /** The admins who wrote the messages, as far as pages named them. */
    get people() {
      return people
    },
    get loadingOlder() {
      return loadingOlder
    },
    /** Nothing can be missing: all was read over the current connection, and no gap is open. */
    isCurrent: () => link.connectionId !== null && syncedConnection === link.connectionId && !timeline.hasGap,
    run,
    tryRun,
    /** Adds a pushed message. */
    addFact(message: Message) {
      if (timeline.hasEpoch(message.epoch)) {
        const shown = timeline.add(message)
        onShown(shown, true)
        watchGap()
        readSenders(shown).catch(() => {})
      } else void tryRun()
    },
    /** Adds an acknowledged message, after its predecessors if they can be read. */
    async addStored(message: Message) {
      const known = timeline.hasEpoch(message.epoch)
      if (known) onShown(timeline.add(message), true)
      if (!known || timeline.hasGap) await tryRun()
      if (known && !timeline.has(message.nonce)) onShown(timeline.force(message), true)
    },
    async loadOlder() {
      const first = timeline.messages[0]
      if (loadingOlder || !timeline.hasOlder || first === undefined) return
      loadingOlder = true
      onChange()
      try {
        const page = await requests.sync({ before: first.seq, limit: PAGE_SIZE })
        takePeople(page)
        if (page.epoch === first.epoch && timeline.epoch === first.epoch) timeline.addOlder(page)
      } finally {
        loadingOlder = false
        onChange()
      }
    },
    reset,
  }
}

export type ConversationSync = ReturnType<typeof createSync>
