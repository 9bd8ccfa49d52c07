import { UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import type { Conversation, ConversationState } from '../../../chat/engine/types.ts'
import { readMessageDraft } from '../../../chat/view/message-draft.ts'
import { MessageList, type MessageListHandle } from '../../../chat/view/message-list.tsx'
import { useConversation } from '../../../chat/view/use-conversation.ts'
import { loadFormatting } from '../../../chat/view/use-formatting.ts'
import { toast } from '../../../components/toast.ts'
import { colorOf } from '../../ui/avatar.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useTeam } from '../../ui/team.ts'
import { AnswerBox, type AnswerBoxHandle, draftKeys } from '../compose/answer-box.tsx'
import { useEditable } from '../compose/use-editable.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { type SeenMarks, seenMarksOf } from '../live/seen-marks.ts'
import { removeConversation, summaryQuery } from '../live/summaries.ts'
import { useLiveVisitor } from '../live/use-visitor.ts'
import { useViewing } from '../live/viewers.tsx'
import { visitorName } from '../live/visitor-name.ts'
import { ConversationHead } from './conversation-head.tsx'
import { ErasedConversation } from './erased-conversation.tsx'
import { Jump, useJumpTarget } from './jump.tsx'
import { useActivity } from './use-activity.tsx'
import { BY_SHORTCUT, useSentStatus } from './use-go-on.ts'
import '../../../chat/view/chat.css'
import './conversation.css'

// Messages that come later are shown without their marks at once.
loadFormatting().catch(() => {})

interface ConversationViewProps {
  clientId: string
  /** Whether the list is beside the conversation. */
  isBesideList: boolean
  /** Shows the panel about the visitor. Null while the panel is beside the conversation. */
  onVisitor: (() => void) | null
}

/** Shows one visitor's conversation. Pass `key={clientId}`. */
export function ConversationView({ clientId, isBesideList, onVisitor }: ConversationViewProps) {
  const { chat, userId } = useAdminChat()
  const [conversation] = useState(() => {
    seenMarksOf(chat).opened(clientId)
    return chat.conversation(clientId)
  })
  useEffect(() => {
    conversation.start()
    return () => conversation.stop()
  }, [conversation])

  const state = useConversation(conversation)
  const activity = useActivity(conversation, state)
  const team = useTeam()
  const summary = useSummaryOf(clientId, state.messages.at(-1), activity.changeN)
  const { visitor } = useLiveVisitor(clientId)
  useRefusalToasts(conversation)
  useViewing(clientId)
  useSeenEntries(clientId, state, activity.newestN)
  const queryClient = useQueryClient()
  useEffect(() => {
    if (state.erased) removeConversation(queryClient, clientId)
  }, [queryClient, clientId, state.erased])
  const hasDraft = () => readMessageDraft(draftKeys(userId, clientId).reply) !== ''
  const followStatus = useSentStatus(conversation, summary, hasDraft)
  const section = useRef<HTMLElement>(null)
  const list = useRef<MessageListHandle>(null)
  const box = useRef<AnswerBoxHandle>(null)
  const editable = useEditable(conversation, userId)
  const target = useJumpTarget()
  const { key, state: how } = useLocation()
  const wantsBox = key !== 'default' && how?.byShortcut !== BY_SHORTCUT.byShortcut && target === null
  useEffect(() => {
    // With a coarse pointer, the focus would open an on-screen keyboard.
    if (wantsBox && window.matchMedia('(pointer: fine)').matches) box.current?.focus()
  }, [wantsBox])
  const { undo } = useAdminChat()
  const keepsNotice = how?.keepsNotice === true
  useEffect(() => {
    if (!keepsNotice) undo.endNotice?.()
  }, [undo, keepsNotice])
  const navigate = useNavigate()
  const name = visitorName({ clientId, visitor: visitor ?? summary?.visitor ?? UNKNOWN_VISITOR })
  const isEmpty = state.loaded && state.messages.length === 0 && state.pending.length === 0

  return (
    <section
      ref={section}
      className="conversation"
      data-color={colorOf(clientId)}
      aria-label={`Conversation with visitor ${clientId}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !(event.target instanceof HTMLTextAreaElement)) return
        section.current?.querySelector<HTMLElement>('[role="log"]')?.focus({ preventScroll: true })
      }}
    >
      <ConversationHead
        clientId={clientId}
        summary={summary}
        blockedUntil={summary?.blockedUntil ?? null}
        online={state.peerOnline}
        isBesideList={isBesideList}
        onErased={isEmpty ? null : () => navigate('/dashboard/chats')}
        onVisitor={onVisitor}
      />
      {activity.refusal !== null && (
        <p className="conversation-refusal" role="alert">
          We couldn't load notes and changes: {activity.refusal}
        </p>
      )}
      {isEmpty && state.erased ? (
        <ErasedConversation clientId={clientId} />
      ) : isEmpty ? (
        <EmptyState message="No messages yet">
          You can reply once this visitor has written. See{' '}
          <Link to="/dashboard/chats">all conversations</Link>.
        </EmptyState>
      ) : (
        <>
          <MessageList
            ref={list}
            conversation={conversation}
            side="admin"
            userId={userId}
            label="Messages"
            names={{ visitor: name, admin: 'A teammate' }}
            nameOf={(id) => {
              const admin = team.find((each) => each.userId === id)
              return admin && (admin.displayName ?? admin.userName)
            }}
            jump={(places) => target && <Jump conversation={conversation} target={target} places={places} />}
            // The loading note is inside the list, so that nothing moves when it disappears.
            intro={!state.loaded && <Loading />}
            // The rows are shown together with the messages. If they came first, they would move when the messages
            // come.
            extras={
              state.loaded
                ? (beforeSeq, rows, ...rest) => {
                    if (editable && beforeSeq > editable.seq)
                      rows.push(<EditLast key="edit" onPress={() => box.current?.edit()} />)
                    activity.rows(beforeSeq, rows, ...rest)
                  }
                : undefined
            }
            onSeen={(seq) => markSeen(conversation, seenMarksOf(chat), seq)}
          />
          <AnswerBox
            ref={box}
            conversation={conversation}
            sendingReply={state.pending.some((message) => message.state === 'sending')}
            savingNote={activity.savingNote}
            onNote={activity.addNote}
            onSent={(then) => {
              if (then !== undefined) followStatus(then)
              conversation.history?.showNewest()
              list.current?.followNewest()
            }}
          />
        </>
      )}
    </section>
  )
}

/** The button stands below the message that the admin can correct. */
function EditLast({ onPress }: { onPress: () => void }) {
  return (
    <li className="edit-last">
      <button
        type="button"
        className="link-button"
        aria-label="Edit last message"
        // This keeps the on-screen keyboard open.
        onPointerDown={(event) => event.preventDefault()}
        onClick={onPress}
      >
        Edit
      </button>
    </li>
  )
}

/** Messages on the screen move the admins' read mark and this admin's own mark. */
function markSeen(conversation: Conversation, seenMarks: SeenMarks, seq: number): void {
  conversation.markSeen(seq)
  const { clientId } = conversation
  const epoch = conversation.getState().messages[0]?.epoch
  if (epoch !== undefined) seenMarks.mark({ clientId, epoch, seq, n: 0 })
}

/** Marks entries as seen once they are loaded in a visible tab that shows the newest messages. */
function useSeenEntries(clientId: string, { messages, hasNewer }: ConversationState, n: number): void {
  const { chat } = useAdminChat()
  const seenMarks = seenMarksOf(chat)
  const epoch = hasNewer ? undefined : messages[0]?.epoch
  useEffect(() => {
    const mark = () => {
      if (epoch !== undefined && n > 0 && !document.hidden) seenMarks.mark({ clientId, epoch, seq: 0, n })
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [seenMarks, clientId, epoch, n])
}

/**
 * Returns the conversation's summary. It is read again after each change in the log, because the change's fact may have
 * been lost, and after a visitor's message that it lacks, because there are no facts when polling.
 */
function useSummaryOf(clientId: string, newest: Message | undefined, changeN: number | null) {
  const queryClient = useQueryClient()
  const { conversations } = useAdminChat()
  // The list's summary is used at once, so that no key press is lost.
  const placeholderData = () => conversations.find(clientId)
  const enabled = newest !== undefined
  const { data, isPlaceholderData } = useQuery({ ...summaryQuery(clientId), enabled, placeholderData })
  const lastSeq = isPlaceholderData ? undefined : data?.lastMessage.seq
  const missingSeq =
    newest?.senderId === clientId && lastSeq !== undefined && lastSeq < newest.seq ? newest.seq : 0
  const read = useRef(changeN)
  useEffect(() => {
    const hasChanged = read.current !== null && read.current !== changeN
    if (hasChanged || missingSeq > 0) void queryClient.invalidateQueries(summaryQuery(clientId))
    read.current = changeN
  }, [queryClient, clientId, changeN, missingSeq])
  return data
}

/** Shows a toast when a message that was being sent is refused. Messages that were refused earlier cause no toast. */
function useRefusalToasts(conversation: Conversation): void {
  useEffect(() => {
    const sending = new Set<string>()
    return conversation.subscribe(() => {
      for (const { nonce, state, reason } of conversation.getState().pending) {
        if (state === 'sending') sending.add(nonce)
        else if (state === 'refused' && sending.delete(nonce)) toast.error(reason ?? 'something went wrong')
      }
    })
  }, [conversation])
}
