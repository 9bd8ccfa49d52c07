import { NOTE_FIELD } from '@proctorpass/shared/fields/label'
import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import { type KeyboardEvent, type Ref, useImperativeHandle, useRef, useState } from 'react'
import { Composer, type ComposerHandle } from '../../../chat/view/composer.tsx'
import { isActive, useTeam } from '../../ui/team.ts'
import { typeInto } from '../../ui/text-box.ts'
import { useListbox } from '../../ui/use-listbox.ts'
import { type CaretQuery, mentionQuery } from './caret-query.ts'

const SHOWN_MAX = 6

interface NoteComposerProps {
  draftKey: string
  sending: boolean
  onSend: (text: string) => void
  ref?: Ref<ComposerHandle>
}

/** Renders the box for a note, in which an @ suggests admins to mention. Others do not see that an admin types here. */
export function NoteComposer({ draftKey, sending, onSend, ref }: NoteComposerProps) {
  const composer = useRef<ComposerHandle>(null)
  useImperativeHandle(ref, () => composer.current as ComposerHandle, [])
  const [mention, setMention] = useState<CaretQuery | null>(null)
  /** The position of the @ at which Escape closed the list. */
  const [dismissed, setDismissed] = useState<number | null>(null)

  const team = useTeam()
  const found = mention === null || mention.from === dismissed ? [] : matching(team, mention.query)
  const listbox = useListbox({
    items: found,
    keyOf: ({ userId }) => userId,
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
  }

  function insert({ userName }: TeamAdmin): void {
    const box = composer.current?.box
    if (!box || mention === null) return
    typeInto(box, `@${userName} `, mention.from)
    readBox(box)
  }

  function handleKeyDown(event: KeyboardEvent): void {
    if (isOpen && listbox.handleKeyDown(event)) event.stopPropagation()
  }

  return (
    <div className="note-composer">
      {isOpen && (
        <div id={listbox.id} className="mentions" role="listbox" aria-label="Teammates to mention">
          {found.map((admin) => (
            <div key={admin.userId} className="mention" {...listbox.option(admin)}>
              <b>@{admin.userName}</b>
              {admin.displayName !== null && <span>{admin.displayName}</span>}
            </div>
          ))}
        </div>
      )}
      <p className="visually-hidden" role="status">
        {isOpen &&
          `${found.length === 1 ? '1 teammate' : `${found.length} teammates`}. Press Enter to mention ${active.userName}.`}
      </p>
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
          onSend(text)
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
