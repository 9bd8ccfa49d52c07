import { NOTE_FIELD } from '@proctorpass/shared/fields/label'
import { isMentioned } from '@proctorpass/shared/mention'
import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import { type KeyboardEvent, type Ref, useImperativeHandle, useRef, useState } from 'react'
import { Composer, type ComposerHandle } from '../../../chat/view/composer.tsx'
import { isActive, useTeam } from '../../ui/team.ts'
import { typeInto } from '../../ui/text-box.ts'
import { useListbox } from '../../ui/use-listbox.ts'
import { type CaretQuery, mentionQuery } from './caret-query.ts'
import './reply-picker.css'

const SHOWN_MAX = 6

/** What the list offers: to mention an admin, or to assign the conversation to them too. */
interface Offer {
  admin: TeamAdmin
  assigns: boolean
}

interface NoteComposerProps {
  draftKey: string
  sending: boolean
  /** `assigneeId` is the admin to whom the note hands the conversation. */
  onSend: (text: string, assigneeId: string | undefined) => void
  ref?: Ref<ComposerHandle>
}

/**
 * Renders the box for a note, in which an @ suggests admins to mention, or to mention and assign. Others do not see that
 * an admin types here.
 */
export function NoteComposer({ draftKey, sending, onSend, ref }: NoteComposerProps) {
  const composer = useRef<ComposerHandle>(null)
  useImperativeHandle(ref, () => composer.current as ComposerHandle, [])
  const [mention, setMention] = useState<CaretQuery | null>(null)
  /** The position of the @ at which Escape closed the list. */
  const [dismissed, setDismissed] = useState<number | null>(null)

  /** The admin to whom the note hands the conversation, while the note mentions them. */
  const [assignee, setAssignee] = useState<TeamAdmin | null>(null)

  const team = useTeam()
  const admins = mention === null || mention.from === dismissed ? [] : matching(team, mention.query)
  const found = admins.flatMap((admin): Offer[] => [
    { admin, assigns: false },
    { admin, assigns: true },
  ])
  const listbox = useListbox({
    items: found,
    keyOf: ({ admin, assigns }) => (assigns ? `${admin.userId}-assign` : admin.userId),
    query: mention && `${mention.from} ${mention.query}`,
    onChoose: insert,
    onEscape: () => setDismissed(mention?.from ?? null),
    tabChooses: true,
  })
  const { active } = listbox
  const isOpen = active !== undefined

  function readBox(box: HTMLTextAreaElement): void {
    const next = box.selectionStart === box.selectionEnd ? mentionQuery(box.value, box.selectionEnd) : null
    if (next === null) setDismissed(null)
    setMention(next)
    if (assignee !== null && !isMentioned(assignee.userName, box.value)) setAssignee(null)
  }

  function insert({ admin, assigns }: Offer): void {
    const box = composer.current?.box
    if (!box || mention === null) return
    typeInto(box, `@${admin.userName} `, mention.from)
    readBox(box)
    if (assigns) setAssignee(admin)
  }

  function handleKeyDown(event: KeyboardEvent): void {
    if (isOpen && listbox.handleKeyDown(event)) event.stopPropagation()
  }

  return (
    <div className="note-composer">
      {isOpen && (
        <div id={listbox.id} className="mentions" role="listbox" aria-label="Teammates to mention">
          {found.map((offer) => (
            <div key={listbox.option(offer).id} className="mention" {...listbox.option(offer)}>
              <b>@{offer.admin.userName}</b>
              {offer.assigns ? (
                <span>and assign</span>
              ) : (
                offer.admin.displayName !== null && <span>{offer.admin.displayName}</span>
              )}
            </div>
          ))}
        </div>
      )}
      <p className="visually-hidden" role="status">
        {isOpen &&
          `${admins.length === 1 ? '1 teammate' : `${admins.length} teammates`}. Press Enter to mention ${active.admin.userName}${active.assigns ? ' and assign' : ''}.`}
      </p>
      {assignee !== null && (
        <p className="note-assigns">
          Assigns the conversation to {assignee.displayName ?? assignee.userName}
          <button
            type="button"
            className="reply-blank"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => setAssignee(null)}
          >
            Don't assign
          </button>
        </p>
      )}
      <Composer
        ref={composer}
        draftKey={draftKey}
        sending={sending}
        placeholder="Write a note. Type @ to mention a teammate."
        sendLabel="Add note"
        onTyping={() => {}}
        refuse={(note) => NOTE_FIELD.problem(note)}
        onSend={(text) => {
          setMention(null)
          setAssignee(null)
          const isAssigned = assignee !== null && isMentioned(assignee.userName, text)
          onSend(text, isAssigned ? assignee.userId : undefined)
        }}
        boxProps={{
          'aria-label': 'Your note',
          'aria-autocomplete': 'list',
          'aria-haspopup': 'listbox',
          'aria-controls': isOpen ? listbox.id : undefined,
          'aria-activedescendant': listbox.activeId,
          onInput: (event) => readBox(event.currentTarget),
          onSelect: (event) => readBox(event.currentTarget),
          onKeyDown: handleKeyDown,
        }}
      />
    </div>
  )
}

/** Finds the admins whom a note can notify, with the best matches first. */
function matching(team: readonly TeamAdmin[], query: string): TeamAdmin[] {
  const lowered = query.toLowerCase()
  const begins = (text: string | null) => text?.toLowerCase().startsWith(lowered) ?? false
  const contains = (text: string | null) => text?.toLowerCase().includes(lowered) ?? false
  const admins = team.filter((admin) => isActive(admin) && !admin.you)
  const first = admins.filter((admin) => begins(admin.userName) || begins(admin.displayName))
  const rest = admins.filter(
    (admin) => !first.includes(admin) && (contains(admin.userName) || contains(admin.displayName)),
  )
  return [...first, ...rest].slice(0, SHOWN_MAX)
}
