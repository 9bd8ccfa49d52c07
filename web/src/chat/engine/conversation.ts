import { AppError } from '@proctorpass/shared/errors'
import type { VisitorFacts } from '@proctorpass/shared/events'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { createAdminHistory } from './admin-history.ts'
import type { OpenAttachments } from './attachments.ts'
import { createDelivery, type Guard } from './delivery.ts'
import type { ChatLink } from './link.ts'
import type { Outbox, OutboxEntry } from './outbox.ts'
import { createReadMarks } from './read-marks.ts'
import type { ConversationRequests } from './requests.ts'
import type { SyncSchedule } from './schedule.ts'
import { createSignal } from './signal.ts'
import { createSync } from './sync.ts'
import type { Tab } from './tab.ts'
import type { ArrivedMessages, Conversation, ConversationState, Party } from './types.ts'
import { createTyping } from './typing.ts'

/** A conversation as the chat composes it, with its outbox and with handlers for the server's facts. */
export interface EngineConversation extends Conversation {
  readonly outbox: Pick<Outbox, 'list' | 'remove'>
  readonly facts: VisitorFacts
}

export function createConversation(
  options: Party & {
    tab: Tab
    link: ChatLink
    schedule: SyncSchedule
    requests: ConversationRequests
    /** Called when one of this tab's messages was stored. */
    onStored: (message: Message) => void
    history?: typeof createAdminHistory
    openAttachments: OpenAttachments
    textOf?: ((error: AppError) => string) | undefined
    guard?: Guard
    visitorKey?: string | null
    /** Unsent messages from another conversation. */
    unsent?: readonly OutboxEntry[]
  },
): EngineConversation {
  const { side, clientId, senderId, link, schedule, requests, unsent = [] } = options
  const openAttachments = () => options.openAttachments(options)
  const changed = createSignal()
  const arrived = createSignal<ArrivedMessages>()
  let started = false
  let peerOnline: boolean | null = null
  let ask: ConversationState['ask'] = null
  let wasErased = false

  const sync = createSync({
    link,
    requests,
    onChange,
    onShown(messages, live) {
      for (const message of live ? messages : [])
        typing.receive(message.senderId === clientId ? 'visitor' : 'admin', false)
      delivery.acknowledge(messages)
      const others = messages.filter((message) => message.senderId !== senderId)
      if (others.length > 0) arrived.emit({ messages: others, live })
    },
    onPage(page) {
      readMarks.advance(page.read)
      setAsk(page.ask ?? null)
    },
    onReset() {
      wasErased = true
      readMarks.reset()
      onChange()
    },
    onSynced: () => readMarks.send(),
    wantsNames: side === 'visitor',
  })
  const { timeline } = sync
  const history = options.history?.({ requests, sync, onChange })
  const delivery = createDelivery({ ...options, unsent, sync, openAttachments, onChange })
  const readMarks = createReadMarks({ side, link, requests, timeline, onChange })
  const typing = createTyping({ send: requests.setTyping, onChange })
  let state = snapshot()

  function snapshot(): ConversationState {
    return {
      loaded: timeline.loaded,
      messages: timeline.messages,
      people: sync.people,
      pending: delivery.pending,
      hasOlder: timeline.hasOlder,
      loadingOlder: sync.loadingOlder,
      ...history?.shown,
      read: readMarks.marks,
      visitorTyping: typing.state.visitor,
      adminTyping: typing.state.admin,
      peerOnline,
      ask,
      erased: wasErased && timeline.loaded && timeline.messages.length === 0,
    }
  }

  function onChange() {
    state = snapshot()
    changed.emit()
  }

  function takeFact(message: Message) {
    // A conversation that was never read misses nothing.
    if (started || timeline.loaded) sync.addFact(message)
  }

  function setPeerOnline(online: boolean | null) {
    if (online === peerOnline) return
    peerOnline = online
    onChange()
  }

  function setAsk(next: ConversationState['ask']) {
    if (next === ask) return
    ask = next
    onChange()
  }

  link.subscribe(() => {
    if (link.connectionId !== null) return
    typing.reset()
    setPeerOnline(null)
  })
  link.onReachable(typing.resume)
  schedule.add({ isActive: () => started || delivery.hasUnsent(), sync: sync.run })

  return {
    clientId,
    outbox: delivery.outbox,
    start() {
      if (started) return
      started = true
      void schedule.run()
    },
    stop() {
      started = false
    },
    getState: () => state,
    subscribe: changed.on,
    onArrived: arrived.on,
    send: delivery.send,
    retry: delivery.retry,
    cancel: delivery.cancel,
    discard: delivery.discard,
    openAttachments,
    history,
    loadOlder: history?.loadOlder ?? sync.loadOlder,
    markSeen: readMarks.markSeen,
    async erase() {
      // The history may be erased already, because an earlier answer was lost or the other side erased it.
      await requests.erase().catch((error) => {
        if (!(error instanceof AppError && error.code === 'not-found')) throw error
      })
      sync.reset()
      await sync.run()
    },
    async rate(score, words) {
      try {
        await requests.rate({ score, words })
        setAsk(null)
      } catch (error) {
        void sync.tryRun()
        throw error
      }
    },
    download: requests.download,
    setTyping: typing.set,
    facts: {
      'message:created': takeFact,
      'message:edited': takeFact,
      'conversation:read': ({ by, seq }) => readMarks.advance({ [by]: seq }),
      'typing:changed': ({ by, typing: isTyping }) => typing.receive(by, isTyping),
      'presence:changed': ({ online }) => setPeerOnline(online),
      'conversation:erased': () => void sync.tryRun(),
      'ask:changed': (fact) => setAsk(fact.ask),
    },
  }
}
