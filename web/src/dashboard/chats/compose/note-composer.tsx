import { NOTE_FIELD } from '@proctorpass/shared/fields/label'
import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import { type KeyboardEvent, type Ref, useId, useImperativeHandle, useRef, useState } from 'react'
import { Composer, type ComposerHandle } from '../../../chat/view/composer.tsx'
import { useTeam } from '../../ui/team.ts'
import { typeInto } from '../../ui/text-box.ts'
import { type CaretQuery, mentionQuery } from './caret-query.ts'

const SHOWN_MAX = 6

interface NoteComposerProps {
  draftKey: string
  sending: boolean
  onSend: (text: string) => void
  ref?: Ref<ComposerHandle>
}

/** The box of a note: an @ suggests admins to mention. Typing in it is not shown to others. */
export function NoteComposer({ draftKey, sending, onSend, ref }: NoteComposerProps) {
  const id = useId()
  const composer = useRef<ComposerHandle>(null)
  useImperativeHandle(ref, () => composer.current as ComposerHandle, [])
  const [mention, setMention] = useState<CaretQuery | null>(null)
  /** The @ at which Escape closed the list. */
  const [dismissed, setDismissed] = useState<number | null>(null)
  const [chosen, setChosen] = useState(0)

  const team = useTeam()
  const found = mention === null || mention.from === dismissed ? [] : matching(team, mention.query)
  const active = found[Math.min(chosen, found.length - 1)]
  const isOpen = active !== undefined
  const optionId = (admin: TeamAdmin) => `${id}-${admin.userId}`

  function readBox(box: HTMLTextAreaElement): void {
    const next = box.selectionStart === box.selectionEnd ? mentionQuery(box.value, box.selectionEnd) : null
    if (next?.from !== mention?.from || next?.query !== mention?.query) setChosen(0)
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
    if (!isOpen || event.nativeEvent.isComposing || event.keyCode === 229) return
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const index = found.indexOf(active)
    if (event.key === 'ArrowDown') setChosen((index + 1) % found.length)
    else if (event.key === 'ArrowUp') setChosen((index + found.length - 1) % found.length)
    else if (event.key === 'Enter' || event.key === 'Tab') insert(active)
    else if (event.key === 'Escape') setDismissed(mention?.from ?? null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className="note-composer">
      {isOpen && (
        <div id={`${id}-list`} className="mentions" role="listbox" aria-label="Admins to mention">
          {found.map((admin) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box
            <div
              key={admin.userId}
              id={optionId(admin)}
              className="mention"
              role="option"
              aria-selected={admin === active}
              tabIndex={-1}
              // Keeps the focus in the box, and so the on-screen keyboard open.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => insert(admin)}
            >
              <b>@{admin.userName}</b>
              {admin.displayName !== null && <span>{admin.displayName}</span>}
            </div>
          ))}
        </div>
      )}
      <p className="visually-hidden" role="status">
        {isOpen &&
          `${found.length === 1 ? '1 admin' : `${found.length} admins`}. Enter mentions ${active.userName}.`}
      </p>
      <Composer
        ref={composer}
        draftKey={draftKey}
        sending={sending}
        placeholder="Write a note. @ mentions an admin."
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
          'aria-controls': isOpen ? `${id}-list` : undefined,
          'aria-activedescendant': isOpen ? optionId(active) : undefined,
          onInput: (event) => readBox(event.currentTarget),
          onSelect: (event) => readBox(event.currentTarget),
          onKeyDown: handleKeyDown,
        }}
      />
    </div>
  )
}

/** The admins that a note can notify, best matches first. */
function matching(team: readonly TeamAdmin[], query: string): TeamAdmin[] {
  const wanted = query.toLowerCase()
  const begins = (text: string | null) => text?.toLowerCase().startsWith(wanted) ?? false
  const contains = (text: string | null) => text?.toLowerCase().includes(wanted) ?? false
  const admins = team.filter(({ disabled, invited, you }) => !disabled && !invited && !you)
  const first = admins.filter((admin) => begins(admin.userName) || begins(admin.displayName))
  const rest = admins.filter(
    (admin) => !first.includes(admin) && (contains(admin.userName) || contains(admin.displayName)),
  )
  return [...first, ...rest].slice(0, SHOWN_MAX)
}
