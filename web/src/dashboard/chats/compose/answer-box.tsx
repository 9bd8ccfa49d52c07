import { Lock, Pencil, Reply } from 'virtual:icons'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import type { Conversation } from '../../../chat/engine/types.ts'
import type { ComposerHandle } from '../../../chat/view/composer.tsx'
import { useAttach } from '../../../chat/view/use-attach.tsx'
import { Icon } from '../../../components/icon.tsx'
import { ariaKeys, useCommands } from '../../ui/shortcuts.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { Viewers } from '../live/viewers.tsx'
import { EditComposer } from './edit-composer.tsx'
import { NoteComposer } from './note-composer.tsx'
import { ReplyComposer } from './reply-composer.tsx'
import { useEditable } from './use-editable.ts'
import './answer-box.css'

const MODES = [
  { mode: 'reply', label: 'Reply', icon: Reply, keys: 'r' },
  { mode: 'note', label: 'Note', icon: Lock, keys: 'n' },
] as const

type Mode = (typeof MODES)[number]['mode'] | 'edit'

export interface AnswerBoxHandle {
  focus: () => void
  /** Opens the box in which the newest message can be corrected. */
  edit: () => void
}

const HINTS: Record<Mode, string> = {
  reply: 'Enter sends, Shift+Enter starts a new line',
  note: 'Visible to your team only',
  edit: 'The visitor sees that the message was edited. Esc cancels.',
}

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
  ref?: Ref<AnswerBoxHandle>
}

/** Renders the box for replies, for notes if the admin switches, or for a correction. Each has its own draft. */
export function AnswerBox({ conversation, sendingReply, savingNote, onNote, onSent, ref }: AnswerBoxProps) {
  const { userId } = useAdminChat()
  const { clientId } = conversation
  const [mode, setMode] = useState<Mode>('reply')
  const composer = useRef<ComposerHandle>(null)
  const editable = useEditable(conversation, userId)
  const [edited, setEdited] = useState(editable)
  const handle = { focus: () => composer.current?.focus(), edit }
  useImperativeHandle(ref, () => handle)

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

  function edit(): boolean {
    if (editable === null) return false
    setEdited(editable)
    write('edit')
    return true
  }

  useCommands([
    ...MODES.map(({ mode: wanted, ...command }) => ({ ...command, run: () => write(wanted) })),
    ...(editable === null
      ? []
      : [{ label: 'Edit last message', icon: Pencil, keys: 'arrowup', inBox: true, run: edit }]),
  ])

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
        {mode === 'edit' && edited !== null ? (
          <EditComposer ref={composer} key={edited._id} message={edited} onDone={() => write('reply')} />
        ) : mode !== 'note' ? (
          <ReplyComposer
            conversation={conversation}
            ref={composer}
            draftKey={drafts.reply}
            sending={sendingReply}
            onTyping={(typing) => conversation.setTyping(typing)}
            attach={attach}
            onEditLast={edit}
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
        <p className="answer-hint">{HINTS[mode]}</p>
      </div>
    </div>
  )
}
