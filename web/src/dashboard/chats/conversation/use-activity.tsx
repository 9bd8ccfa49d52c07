import type { Message } from '@proctorpass/shared/schemas/chat'
import { type Activity, nonceOfMailEntry } from '@proctorpass/shared/schemas/inbox'
import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ConversationState } from '../../../chat/engine/types.ts'
import type { ExtraRows } from '../../../chat/view/message-rows.tsx'
import { exactTime } from '../../../chat/view/relative-time.ts'
import { pageState } from '../../../lib/page-state.ts'
import { toServerTime } from '../../../lib/server-clock.ts'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import type { PendingNote } from '../live/notes.ts'
import { createActivityLog } from './activity-log.ts'
import { ChangeRow, NoteRow, PendingNoteRow } from './activity-rows.tsx'
import { changeWords } from './activity-words.ts'
import { ByMailRow, MailEntryRow } from './mail-rows.tsx'

/** The notes and changes of an open conversation. */
export function useActivity(clientId: string, state: ConversationState) {
  const { notes } = useAdminChat()
  const { loaded, entries, refusal } = useEntries(clientId, state)
  const waiting = useWaitingNotes(clientId, entries)
  const newestN = entries.at(-1)?.n ?? 0
  return {
    /** The rows that stand between the messages. */
    rows: useRows(clientId, state, entries, waiting),
    /** The newest change, 0 without one, null until it is known; notes do not count. */
    changeN: loaded ? (entries.findLast(({ kind }) => kind !== 'note')?.n ?? 0) : null,
    /** The newest entry, 0 without one and until it is known. */
    newestN,
    /** Why notes and changes cannot be read. */
    refusal,
    savingNote: waiting.some(({ state }) => state === 'sending'),
    addNote: (text: string): void => notes.add(clientId, text, newestN),
  }
}

/** The entries as far back as the messages are shown, and the notes that this admin stores. */
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

  // Entries of an erased conversation do not belong to the next one.
  const epoch = state.messages[0]?.epoch
  const shownEpoch = useRef(epoch)
  useEffect(() => {
    if (epoch === undefined) return
    if (shownEpoch.current !== undefined && shownEpoch.current !== epoch) log.reset()
    shownEpoch.current = epoch
  }, [log, epoch])

  return useSyncExternalStore(log.subscribe, log.getState)
}

/** The notes that the server has not acknowledged and that are not among the entries. */
function useWaitingNotes(clientId: string, entries: readonly Activity[]): readonly PendingNote[] {
  const { notes, userId } = useAdminChat()
  const pending = useSyncExternalStore(
    notes.subscribe,
    useCallback(() => notes.pending(clientId), [notes, clientId]),
  )
  return useMemo(() => notStored(pending, entries, userId), [pending, entries, userId])
}

/** The rows between the messages: which mails brought them, the entries, and at the end the waiting notes. */
function useRows(
  clientId: string,
  state: ConversationState,
  entries: readonly Activity[],
  waiting: readonly PendingNote[],
): ExtraRows {
  const { notes } = useAdminChat()
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
    },
    [byMessage, mails, hasNewer, entryRow, waiting, notes, clientId],
  )
}

/** The row of one entry: a note, a mail, or a change in words. `mailNonces` are those of messages that came by mail. */
function useEntryRow(clientId: string, entries: readonly Activity[], mailNonces: ReadonlySet<string>) {
  const { userId } = useAdminChat()
  const team = useTeam()
  const texts = useChangeTexts(entries)
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
      return <ChangeRow {...times} key={`activity ${n}`} n={n} at={at} words={texts.get(n) ?? ''} />
    },
    [clientId, team, texts, userId, mailNonces],
  )
}

/** The entries behind messages that are not shown are shown with them. */
function shownSeqs({ messages, hasOlder, hasNewer }: ConversationState) {
  return {
    firstSeq: hasOlder ? (messages[0]?.seq ?? 0) : 0,
    lastSeq: hasNewer ? (messages.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY,
  }
}

/** The sentence of each change, by `n`. */
function useChangeTexts(entries: readonly Activity[]): Map<number, string> {
  const { userId } = useAdminChat()
  const team = useTeam()
  return useMemo(() => {
    const texts = new Map<number, string>()
    const words = {
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
  }, [entries, team, userId])
}

/** The notes that are not among the entries: a fact may come before its acknowledgement. */
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

/** The messages that came by mail: by the seq of the message behind each, Infinity for the newest; and their nonces. */
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

/** The entries before each message, by its seq, and those behind the newest one, by Infinity. */
function grouped(entries: readonly Activity[], messages: readonly Message[]): Map<number, Activity[]> {
  let next = 0
  return Map.groupBy(entries, ({ afterSeq }) => {
    // Neither falls.
    while ((messages[next]?.seq ?? Number.POSITIVE_INFINITY) <= afterSeq) next += 1
    return messages[next]?.seq ?? Number.POSITIVE_INFINITY
  })
}

/** The index of the first entry with a higher `n`: entries have no gaps. */
function firstAfter(entries: readonly Activity[], n: number): number {
  return Math.max(0, n + 1 - (entries[0]?.n ?? 0))
}
