import { GAP_WAIT_MS } from '@proctorpass/shared/limits'
import type { Message, Page, People } from '@proctorpass/shared/schemas/chat'
import type { ChatLink } from './link.ts'
import type { ConversationRequests } from './requests.ts'
import { createTimeline } from './timeline.ts'

/** The number of messages on the first page and on each older one. */
const PAGE_SIZE = 50

/** Fills one conversation's timeline from pages and facts, and closes its gaps. */
export function createSync(options: {
  link: ChatLink
  requests: ConversationRequests
  onChange: () => void
  /** Called with newly shown messages. `live` means that they arrived after the first page. */
  onShown: (messages: readonly Message[], live: boolean) => void
  onPage: (page: Page) => void
  /** Called when the history was erased or restored, which invalidates everything known about it. */
  onReset: () => void
  /** Called when everything was read. */
  onSynced: () => void
  /** Whether to read the names of senders that no page has named. */
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

  /** Reads everything newer, one run at a time: a call during a run waits for a run that begins after the call. */
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

  /** Does what `run` does, for a caller that leaves the next attempt to the schedule. */
  const tryRun = () => run().catch(() => {})

  async function readAll() {
    const { connectionId } = link
    try {
      await readPages()
    } catch (error) {
      link.reportFailure(error)
      throw error
    }
    syncedConnection = connectionId
    link.reportSuccess()
    watchGap()
    onSynced()
  }

  /** Reads the newest page if nothing is loaded, or else everything newer than what is. */
  async function readPages() {
    for (;;) {
      const { epoch, loaded } = timeline
      const range = loaded ? { after: timeline.cursor, edits: timeline.edit } : { limit: PAGE_SIZE }
      const page = await requests.sync(range)
      // The timeline turned to another history meanwhile, and the page can be older than that.
      if (epoch !== timeline.epoch && page.epoch !== timeline.epoch) continue
      if (loaded && !timeline.hasEpoch(page.epoch)) reset()
      else take(page, loaded)
      const hasMore = loaded && page.more && (page.messages[0] ?? page.edits?.[0])
      if (timeline.loaded && !hasMore) return
    }
  }

  function take(page: Page, live: boolean) {
    takePeople(page)
    const shown = live ? timeline.addNewer(page) : timeline.addNewest(page)
    // This comes first, so that no state shows a message as both stored and pending.
    onShown(shown, live)
    onPage(page)
  }

  function takePeople(page: Page) {
    if (page.people) people = { ...people, ...page.people }
  }

  /** Reads a page for its senders' names, which facts do not contain. */
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

  /** Waits before syncing, because facts from two nodes can overtake each other and the gap may close by itself. */
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
    /** The admins who wrote the messages, if a page named them. */
    get people() {
      return people
    },
    get loadingOlder() {
      return loadingOlder
    },
    /** Whether nothing can be missing, because everything was read over the current connection and no gap is open. */
    isCurrent: () => link.connectionId !== null && syncedConnection === link.connectionId && !timeline.hasGap,
    run,
    tryRun,
    /** Adds a pushed message, which may be known and corrected. */
    addFact(message: Message) {
      if (timeline.hasEpoch(message.epoch) && timeline.correct(message)) {
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
      if (!timeline.has(message.nonce)) onShown(timeline.force(message), true)
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
