import { Lock, Reply } from 'virtual:icons'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import type { Conversation } from '../../../chat/engine/types.ts'
import type { ComposerHandle } from '../../../chat/view/composer.tsx'
import { useAttach } from '../../../chat/view/use-attach.tsx'
import { Icon } from '../../../components/icon.tsx'
import { ariaKeys, useCommands } from '../../ui/shortcuts.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { Viewers } from '../live/viewers.tsx'
import { NoteComposer } from './note-composer.tsx'
import { ReplyComposer } from './reply-composer.tsx'
import './answer-box.css'

const MODES = [
  { mode: 'reply', label: 'Reply', icon: Reply, keys: 'r' },
  { mode: 'note', label: 'Note', icon: Lock, keys: 'n' },
] as const

type Mode = (typeof MODES)[number]['mode']

/** Returns the keys under which a conversation's unsent texts are stored. */
export const draftKeys = (userId: string, clientId: string) => ({
  reply: `draft:${userId}:${clientId}`,
  note: `note-draft:${userId}:${clientId}`,
})

interface AnswerBoxProps {
  conversation: Conversation
  sendingReply: boolean
  savingNote: boolean
  /** `assigneeId` is the admin to whom the note hands the conversation. */
  onNote: (text: string, assigneeId?: string) => void
  /** Called when a reply or a note has been sent. `then` is the status that a reply gives the conversation. */
  onSent: (then?: Then) => void
  ref?: Ref<{ focus: () => void }>
}

/** Renders the box for replies, and for notes if the admin switches. Each has its own draft. */
export function AnswerBox({ conversation, sendingReply, savingNote, onNote, onSent, ref }: AnswerBoxProps) {
  const { userId } = useAdminChat()
  const { clientId } = conversation
  const [mode, setMode] = useState<Mode>('reply')
  const composer = useRef<ComposerHandle>(null)
  useImperativeHandle(ref, () => ({ focus: () => composer.current?.focus() }), [])

  const drafts = draftKeys(userId, clientId)
  const attach = useAttach(conversation, '', drafts.reply)

  const wantsFocus = useRef(false)
  useEffect(() => {
    if (wantsFocus.current) composer.current?.focus()
    wantsFocus.current = false
  }, [mode])

  function write(wanted: Mode): void {
    wantsFocus.current = true
    setMode(wanted)
    if (wanted === mode) composer.current?.focus()
  }

  useCommands(MODES.map(({ mode: wanted, ...command }) => ({ ...command, run: () => write(wanted) })))

  return (
    <div className="answer-box" data-mode={mode}>
      <div className="answer-card">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as a form */}
        <div className="segments" role="group" aria-label="Write a">
          {MODES.map(({ mode: each, label, icon, keys }) => (
            <button
              key={each}
              type="button"
              aria-pressed={mode === each}
              aria-keyshortcuts={ariaKeys(keys)}
              data-tip={label}
              // This keeps the on-screen keyboard open.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => write(each)}
            >
              <Icon of={icon} />
              <span>{label}</span>
            </button>
          ))}
        </div>
        <Viewers clientId={clientId} />
        {mode === 'reply' ? (
          <ReplyComposer
            conversation={conversation}
            ref={composer}
            draftKey={drafts.reply}
            sending={sendingReply}
            onTyping={(typing) => conversation.setTyping(typing)}
            attach={attach}
            onSend={(message, files, then) => {
              conversation.send(message, files, then)
              onSent(then)
            }}
          />
        ) : (
          <NoteComposer
            ref={composer}
            draftKey={drafts.note}
            sending={savingNote}
            onSend={(text, assigneeId) => {
              onNote(text, assigneeId)
              onSent()
            }}
          />
        )}
        <p className="answer-hint">
          {mode === 'note' ? 'Visible to your team only' : 'Enter sends, Shift+Enter starts a new line'}
        </p>
      </div>
    </div>
  )
}
