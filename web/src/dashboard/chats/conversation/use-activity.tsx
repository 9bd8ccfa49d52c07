import type { Message } from '@proctorpass/shared/schemas/chat'
import { type Activity, nonceOfMailEntry } from '@proctorpass/shared/schemas/inbox'
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
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
export interface ConversationActivity {
  /** To stand between the messages. */
  rows: ExtraRows
  /** The newest change, 0 without one, null until it is known; notes do not count. */
  changeN: number | null
  /** The newest entry, 0 without one and until it is known. */
  newestN: number
  /** Why notes and changes cannot be read. */
  refusal: string | null
  savingNote: boolean
  addNote: (text: string) => void
}

export function useActivity(
  clientId: string,
  { messages, hasOlder, hasNewer }: ConversationState,
): ConversationActivity {
  const { chat, notes, userId } = useAdminChat()
  const [log] = useState(() => createActivityLog(clientId, chat, pageState().config.chat.pollMs))
  useEffect(() => {
    log.start()
    const offStored = notes.onStored((entry) => {
      if (entry.clientId === clientId) log.add(entry)
    })
    return () => {
      offStored()
      log.stop()
    }
  }, [log, notes, clientId])
  const { loaded, entries, refusal } = useSyncExternalStore(log.subscribe, log.getState)
  const pending = useSyncExternalStore(
    notes.subscribe,
    useCallback(() => notes.pending(clientId), [notes, clientId]),
  )

  const first = messages[0]
  // The entries behind messages that are not shown are shown with them.
  const firstSeq = hasOlder && first ? first.seq : 0
  const lastSeq = hasNewer ? (messages.at(-1)?.seq ?? 0) : Number.POSITIVE_INFINITY
  const hasMessages = first !== undefined
  useEffect(() => {
    if (hasMessages) log.reachBack(firstSeq)
  }, [log, hasMessages, firstSeq])

  // Entries of an erased conversation do not belong to the next one.
  const epoch = first?.epoch
  const shownEpoch = useRef(epoch)
  useEffect(() => {
    if (epoch === undefined) return
    if (shownEpoch.current !== undefined && shownEpoch.current !== epoch) log.reset()
    shownEpoch.current = epoch
  }, [log, epoch])

  const texts = useChangeTexts(entries)
  const team = useTeam()
  const waiting = useMemo(() => notStored(pending, entries, userId), [pending, entries, userId])
  const byMessage = useMemo(() => {
    const shown = entries.filter(({ afterSeq }) => afterSeq >= firstSeq && afterSeq <= lastSeq)
    return grouped(shown, messages)
  }, [entries, messages, firstSeq, lastSeq])
  const mails = useMemo(() => mailsIn(messages), [messages])
  const rows = useCallback<ExtraRows>(
    (beforeSeq, result, startDay, { exactTimes, toggleTimes }) => {
      const mail = mails.bySeq.get(beforeSeq)
      if (mail !== undefined) result.push(<ByMailRow key={`mail ${mail.seq}`} quoted={mail.quoted} />)
      for (const entry of byMessage.get(beforeSeq) ?? []) {
        const times = { exact: exactTimes, onTime: toggleTimes }
        startDay(new Date(entry.at))
        result.push(
          entry.kind === 'note' ? (
            <NoteRow
              {...times}
              key={`activity ${entry.n}`}
              note={entry}
              author={entry.by === null ? 'Admin' : adminName(team, entry.by, userId)}
              isMine={entry.by === userId}
              isForMe={entry.data.mentions.includes(userId)}
            />
          ) : entry.kind === 'mail' && 'from' in entry.data ? (
            <MailEntryRow
              {...times}
              key={`activity ${entry.n}`}
              clientId={clientId}
              n={entry.n}
              at={entry.at}
              mail={entry.data}
              isAdded={mails.nonces.has(nonceOfMailEntry(entry._id))}
            />
          ) : (
            <ChangeRow
              {...times}
              key={`activity ${entry.n}`}
              n={entry.n}
              at={entry.at}
              words={texts.get(entry.n) ?? ''}
            />
          ),
        )
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
    [byMessage, mails, hasNewer, team, texts, userId, waiting, notes, clientId],
  )

  return {
    rows,
    changeN: loaded ? (entries.findLast(({ kind }) => kind !== 'note')?.n ?? 0) : null,
    newestN: entries.at(-1)?.n ?? 0,
    refusal,
    savingNote: waiting.some(({ state }) => state === 'sending'),
    addNote: (text) => notes.add(clientId, text, entries.at(-1)?.n ?? 0),
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
