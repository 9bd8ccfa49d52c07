import type { CannedReply } from '@proctorpass/shared/schemas/reply'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { useFormatting } from '../../../chat/view/use-formatting.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { fillReply, type ReplyValues } from '../../ui/fill-reply.ts'
import { Loading } from '../../ui/loading.tsx'
import type { Listbox } from '../../ui/use-listbox.ts'
import type { ReplyOptions } from './use-reply-options.ts'

/** A line has no room for more characters. */
const TEXT_SHOWN = 200

interface ReplyPickerProps {
  listbox: Listbox<CannedReply>
  options: ReplyOptions
  /** The text in the field above the list. Null without a field. */
  filter: string | null
  /** Whether the message box keeps the focus, and its text is the filter. */
  keepsFocus: boolean
  onFilter: (filter: string) => void
  onKeyDown: (event: KeyboardEvent) => void
  valueFor: ReplyValues
}

/** Lists the canned replies above the message box. */
export function ReplyPicker({
  listbox,
  options,
  filter,
  keepsFocus,
  onFilter,
  onKeyDown,
  valueFor,
}: ReplyPickerProps) {
  const { found, shown, isLoading, isEmpty, error } = options
  const popup = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (keepsFocus) return
    // On a touch screen, focusing a field would open the on-screen keyboard, unless the message box has already opened
    // it.
    if (window.matchMedia('(pointer: fine)').matches) popup.current?.querySelector('input')?.focus()
    else if (!(document.activeElement instanceof HTMLTextAreaElement)) popup.current?.focus()
  }, [keepsFocus])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a dialog when it has the focus
    <div
      ref={popup}
      className="reply-picker"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      {...(filter === null ? {} : { role: 'dialog', 'aria-label': 'Canned replies' })}
    >
      {filter !== null && !isEmpty && (
        <input
          {...listbox.combobox}
          className="reply-filter"
          aria-label="Filter canned replies"
          placeholder="Shortcut or words"
          enterKeyHint="done"
          value={filter}
          onChange={(event) => onFilter(event.target.value)}
        />
      )}
      {isLoading && <Loading />}
      {error && shown.length === 0 && (
        <p className="reply-picker-note" role="alert">
          {errorMessage(error)}{' '}
          <button type="button" className="link-button" onClick={options.retry}>
            Try again
          </button>
        </p>
      )}
      {isEmpty && (
        <p className="reply-picker-note">
          No canned replies yet. <Link to="/dashboard/replies">Add one</Link> for an answer that you type
          often.
        </p>
      )}
      {!isEmpty && !isLoading && !error && found.length === 0 && (
        <p className="reply-picker-note" role="status">
          No canned replies have these words.
        </p>
      )}
      <div id={listbox.id} className="reply-options" role="listbox" aria-label="Canned replies" tabIndex={0}>
        {shown.map((reply) => (
          <div key={reply._id} className="reply-option" {...listbox.option(reply)}>
            <b>/{reply.shortcut}</b>{' '}
            <ReplyWords text={fillReply(reply.text.slice(0, TEXT_SHOWN), valueFor)} />
          </div>
        ))}
      </div>
      {shown.length < found.length && (
        <p className="reply-picker-note">
          Showing the first {shown.length} of {found.length}. Type to find others.
        </p>
      )}
    </div>
  )
}

function ReplyWords({ text }: { text: string }) {
  const formatting = useFormatting(text)
  return <span dir="auto">{formatting?.withoutMarks(text) ?? text}</span>
}
