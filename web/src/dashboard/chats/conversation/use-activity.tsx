import { nonceOfMailEntry } from '@proctorpass/shared/inbox'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Scheduled } from '@proctorpass/shared/schemas/scheduled'
import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Conversation, ConversationState } from '../../../chat/engine/types.ts'
import type { ExtraRows } from '../../../chat/view/message-rows.tsx'
import { exactTime } from '../../../chat/view/relative-time.ts'
import { pageState } from '../../../lib/page-state.ts'
import { toServerTime } from '../../../lib/server-clock.ts'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import type { PendingNote } from '../live/notes.ts'
import { useScheduled } from '../live/scheduled.ts'
import { useVisitor } from '../live/use-visitor.ts'
import { visitorName } from '../live/visitor-name.ts'
import { createActivityLog } from './activity-log.ts'
import { ChangeRow, NoteRow, PendingNoteRow } from './activity-rows.tsx'
import { changeWords } from './activity-words.ts'
import { ByMailRow, MailEntryRow } from './mail-rows.tsx'
import { ScheduledRow } from './scheduled-rows.tsx'

/** Returns an open conversation's notes and changes. */
export function useActivity(conversation: Conversation, state: ConversationState) {
  const { clientId } = conversation
  const { notes } = useAdminChat()
  const { loaded, entries, refusal } = useEntries(clientId, state)
  const waiting = useWaitingNotes(clientId, entries)
  const scheduled = useScheduled(clientId, state.messages, entries)
  const newestN = entries.at(-1)?.n ?? 0
  return {
    /** The rows between the messages. */
    rows: useRows(conversation, state, entries, { notes: waiting, scheduled }),
    /** The newest change's `n`: 0 if there is none, and null until it is known. Notes do not count. */
    changeN: loaded ? (entries.findLast(({ kind }) => kind !== 'note')?.n ?? 0) : null,
    /** The newest entry's `n`, which is 0 if there is none or until it is known. */
    newestN,
    /** Why notes and changes cannot be read. Null if they can. */
    refusal,
    savingNote: waiting.some(({ state }) => state === 'sending'),
    addNote: (text: string, assigneeId?: string): void => notes.add(clientId, text, newestN, assigneeId),
  }
}

/** Returns the entries as far back as messages are shown, including the notes that this admin stores. */
function useEntries(clientId: string, state: ConversationState) {
  const { chat, notes } = useAdminChat()
  const [log] = useState(() => createActivityLog(clientId, chat, pageState().config.chat.pollMs))
  useEffect(() => {
    log.start()
    const unsubscribe = notes.onStored((entry) => {
      if (entry.clientId === clientId) log.add(entry)
    })
    return () => {
      unsubscribe()
      log.stop()
    }
  }, [log, notes, clientId])

  const hasMessages = state.messages.length > 0
  const { firstSeq } = shownSeqs(state)
  useEffect(() => {
    if (hasMessages) log.reachBack(firstSeq)
  }, [log, hasMessages, firstSeq])

  // An erased conversation's entries do not belong to the next one.
  const epoch = state.messages[0]?.epoch
  const shownEpoch = useRef(epoch)
  useEffect(() => {
    if (epoch === undefined) return
    if (shownEpoch.current !== undefined && shownEpoch.current !== epoch) log.reset()
    shownEpoch.current = epoch
  }, [log, epoch])

  return useSyncExternalStore(log.subscribe, log.getState)
}

/** Returns the notes that the server has not acknowledged and that are not among the entries. */
function useWaitingNotes(clientId: string, entries: readonly Activity[]): readonly PendingNote[] {
  const { notes, userId } = useAdminChat()
  const pending = useSyncExternalStore(
    notes.subscribe,
    useCallback(() => notes.pending(clientId), [notes, clientId]),
  )
  return useMemo(() => notStored(pending, entries, userId), [pending, entries, userId])
}

/**
 * Returns the rows between the messages: which mails brought them, the entries, and at the end what waits: notes, and
 * messages that are sent later.
 */
function useRows(
  conversation: Conversation,
  state: ConversationState,
  entries: readonly Activity[],
  { notes: waiting, scheduled }: { notes: readonly PendingNote[]; scheduled: readonly Scheduled[] },
): ExtraRows {
  const { clientId } = conversation
  const { notes, userId } = useAdminChat()
  const team = useTeam()
  const { messages, hasNewer } = state
  const { firstSeq, lastSeq } = shownSeqs(state)
  const mails = useMemo(() => mailsIn(messages), [messages])
  const byMessage = useMemo(() => {
    const shown = entries.filter(({ afterSeq }) => afterSeq >= firstSeq && afterSeq <= lastSeq)
    return grouped(shown, messages)
  }, [entries, messages, firstSeq, lastSeq])
  const entryRow = useEntryRow(clientId, entries, mails.nonces)

  return useCallback<ExtraRows>(
    (beforeSeq, result, startDay, { exactTimes, toggleTimes }) => {
      const mail = mails.bySeq.get(beforeSeq)
      if (mail !== undefined) result.push(<ByMailRow key={`mail ${mail.seq}`} quoted={mail.quoted} />)
      for (const entry of byMessage.get(beforeSeq) ?? []) {
        startDay(new Date(entry.at))
        result.push(entryRow(entry, { exact: exactTimes, onTime: toggleTimes }))
      }
      if (beforeSeq !== Number.POSITIVE_INFINITY || hasNewer) return
      for (const note of waiting) {
        startDay(new Date(toServerTime(note.typedAt)))
        result.push(
          <PendingNoteRow
            key={note.nonce}
            note={note}
            onRetry={(nonce) => notes.retry(clientId, nonce)}
            onDiscard={(nonce) => notes.discard(clientId, nonce)}
          />,
        )
      }
      for (const each of scheduled) {
        result.push(
          <ScheduledRow
            key={`scheduled ${each._id}`}
            scheduled={each}
            author={adminName(team, each.by, userId)}
            conversation={conversation}
            hasCommands={each === scheduled[0]}
          />,
        )
      }
    },
    [byMessage, mails, hasNewer, entryRow, waiting, scheduled, notes, team, userId, conversation, clientId],
  )
}

/**
 * Returns a function that renders an entry's row: a note, a mail, or a change in words. `mailNonces` has the nonces of
 * messages that came by mail.
 */
function useEntryRow(clientId: string, entries: readonly Activity[], mailNonces: ReadonlySet<string>) {
  const { userId } = useAdminChat()
  const team = useTeam()
  const texts = useChangeTexts(clientId, entries)
  return useCallback(
    (entry: Activity, times: { exact: boolean; onTime: () => void }): ReactNode => {
      const { n, at, by } = entry
      if (entry.kind === 'note') {
        return (
          <NoteRow
            {...times}
            key={`activity ${n}`}
            note={entry}
            author={by === null ? 'Admin' : adminName(team, by, userId)}
            isMine={by === userId}
            isForMe={entry.data.mentions.includes(userId)}
          />
        )
      }
      if (entry.kind === 'mail' && 'from' in entry.data) {
        return (
          <MailEntryRow
            {...times}
            key={`activity ${n}`}
            clientId={clientId}
            n={n}
            at={at}
            mail={entry.data}
            isAdded={mailNonces.has(nonceOfMailEntry(entry._id))}
          />
        )
      }
      return <ChangeRow {...times} key={`activity ${n}`} change={entry} words={texts.get(n) ?? ''} />
    },
    [clientId, team, texts, userId, mailNonces],
  )
}

/**
 * Returns the range whose entries are shown. Entries after messages that are not loaded are shown together with those
 * messages.
 */
function shownSeqs({ messages, hasOlder, hasNewer }: ConversationState) {
  return {
    firstSeq: hasOlder ? (messages[0]?.seq ?? 0) : 0,
    lastSeq: hasNewer ? (messages.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY,
  }
}

/** Returns each change's sentence, by `n`. */
function useChangeTexts(clientId: string, entries: readonly Activity[]): Map<number, string> {
  const { userId } = useAdminChat()
  const team = useTeam()
  const { visitor: known } = useVisitor(clientId)
  const visitor = known === undefined ? 'The visitor' : visitorName({ clientId, visitor: known })
  return useMemo(() => {
    const texts = new Map<number, string>()
    const words = {
      visitor,
      userId,
      nameOf: (id: string) => adminName(team, id, userId),
      timeOf: (iso: string) => exactTime(iso, 'en'),
    }
    let status: Activity | undefined
    for (const entry of entries) {
      if (entry.kind === 'note') continue
      texts.set(entry.n, changeWords(entry, status, words))
      if (entry.kind === 'status') status = entry
    }
    return texts
  }, [entries, team, userId, visitor])
}

/** Returns the notes that are not among the entries, because a fact may arrive before its note's acknowledgement. */
function notStored(
  pending: readonly PendingNote[],
  entries: readonly Activity[],
  userId: string,
): readonly PendingNote[] {
  return pending.filter(
    ({ message, knownSeq, state }) =>
      state !== 'sending' ||
      !entries
        .slice(firstAfter(entries, knownSeq))
        .some((entry) => entry.kind === 'note' && entry.by === userId && entry.data.text === message),
  )
}

/**
 * Returns the messages that came by mail and their nonces. The messages are keyed by the seq of the message after them,
 * and the newest one by Infinity.
 */
function mailsIn(messages: readonly Message[]) {
  const bySeq = new Map<number, Message>()
  const nonces = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.via === undefined) continue
    bySeq.set(messages[index + 1]?.seq ?? Number.POSITIVE_INFINITY, message)
    nonces.add(message.nonce)
  }
  return { bySeq, nonces }
}

/**
 * Groups the entries by the seq of the message after them. The entries after the newest message are grouped under
 * Infinity.
 */
function grouped(entries: readonly Activity[], messages: readonly Message[]): Map<number, Activity[]> {
  let next = 0
  return Map.groupBy(entries, ({ afterSeq }) => {
    // Entries and messages are both in ascending order.
    while ((messages[next]?.seq ?? Number.POSITIVE_INFINITY) <= afterSeq) next += 1
    return messages[next]?.seq ?? Number.POSITIVE_INFINITY
  })
}

/** Returns the index of the first entry with a higher `n`. Entries have no gaps. */
function firstAfter(entries: readonly Activity[], n: number): number {
  return Math.max(0, n + 1 - (entries[0]?.n ?? 0))
}
