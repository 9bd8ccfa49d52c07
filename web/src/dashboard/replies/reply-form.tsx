import { adminPaths } from '@proctorpass/shared/admin-paths'
import { REPLY_FIELDS } from '@proctorpass/shared/fields/reply'
import type { ReplyVariable } from '@proctorpass/shared/reply-text'
import type {
  CannedReply,
  CannedReplyChange,
  CannedReplyList,
  NewCannedReply,
  SavedCannedReply,
} from '@proctorpass/shared/schemas/reply'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { callAsAdmin } from '../../lib/session.ts'
import { DraftNote, FormDialog, TextField } from '../ui/admin-form.tsx'
import { Conflict } from '../ui/conflict.tsx'
import { Field } from '../ui/field.tsx'
import { handleFormatKey } from '../ui/format-keys.ts'
import { REPLIES } from '../ui/replies.ts'
import { typeInto } from '../ui/text-box.ts'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { ReplyPreview } from './reply-preview.tsx'

const NO_REPLY: NewCannedReply = { shortcut: '', text: '' }

const VARIABLE_LABELS: Record<ReplyVariable, string> = {
  'visitor.name': 'Visitor name',
  'admin.name': 'Your name',
  brand: 'Brand',
  supportEmail: 'Support email',
  'exam.time': 'Exam time',
}

interface ReplyFormProps {
  /** Null adds a new one. */
  reply: CannedReply | null
  onClose: () => void
}

/** Adds or changes a canned reply. Unsaved values stay in this browser as a draft. */
export function ReplyForm({ reply, onClose }: ReplyFormProps) {
  const queryClient = useQueryClient()
  const form = useAdminForm<NewCannedReply, CannedReply>({
    defaultValues: valuesOf(reply ?? NO_REPLY),
    draftKey: `draft:reply:${reply?._id ?? 'new'}`,
    stored: reply && { version: reply.version, read: () => readReply(queryClient, reply._id), valuesOf },
    async send({ shortcut, text }, version) {
      const fields = { shortcut: cleanShortcut(shortcut), text }
      const { message } =
        reply === null ? await addReply(fields) : await changeReply(reply._id, { ...fields, version })
      void queryClient.invalidateQueries({ queryKey: REPLIES })
      onClose()
      return message
    },
  })
  const { shortcut, text } = form.form.watch()
  const box = useRef<HTMLTextAreaElement>(null)
  const { ref: registerBox, ...textField } = form.form.register('text', {
    validate: (typed) => REPLY_FIELDS.text.problem(typed) ?? true,
  })
  return (
    <FormDialog
      title={reply === null ? 'Add canned reply' : 'Edit canned reply'}
      form={form}
      submitLabel="Save"
      onClose={onClose}
    >
      <DraftNote form={form} />
      <TextField
        form={form}
        name="shortcut"
        label="Shortcut"
        hint={`In a conversation, type /${cleanShortcut(shortcut) || 'shortcut'}`}
        rule={{ problem: (typed: string) => REPLY_FIELDS.shortcut.problem(cleanShortcut(typed)) }}
        type="text"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <Field label="Text" error={form.errorOf('text')}>
        {(shared) => (
          <textarea
            {...shared}
            {...textField}
            ref={(element) => {
              registerBox(element)
              box.current = element
            }}
            dir="auto"
            rows={7}
            onKeyDown={handleFormatKey}
          />
        )}
      </Field>
      <p className="reply-variables">
        Insert{' '}
        {Object.entries(VARIABLE_LABELS).map(([variable, label]) => (
          <button
            key={variable}
            type="button"
            className="button button-s"
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => box.current && typeInto(box.current, `{{${variable}}}`)}
          >
            <span className="visually-hidden">Insert </span>
            {label}
          </button>
        ))}
      </p>
      {text.trim() !== '' && <ReplyPreview text={text} />}
      {form.conflict && (
        <Conflict what="this reply" inDialog {...form.conflict}>
          <p>Your version is still in the form above. This is the saved version:</p>
          <dl>
            <dt>Shortcut</dt>
            <dd>{form.conflict.other.shortcut}</dd>
            <dt>Text</dt>
            <dd className="long-text" dir="auto">
              {form.conflict.other.text}
            </dd>
          </dl>
        </Conflict>
      )}
    </FormDialog>
  )
}

const valuesOf = ({ shortcut, text }: NewCannedReply): NewCannedReply => ({ shortcut, text })

function addReply(body: NewCannedReply): Promise<SavedCannedReply> {
  return callAsAdmin(adminPaths.replies, { method: 'POST', body })
}

function changeReply(id: string, body: CannedReplyChange): Promise<SavedCannedReply> {
  return callAsAdmin(adminPaths.reply(id), { method: 'PATCH', body })
}

async function readReply(queryClient: QueryClient, id: string): Promise<CannedReply | null> {
  const { replies } = await queryClient.fetchQuery({
    queryKey: REPLIES,
    queryFn: () => callAsAdmin<CannedReplyList>(adminPaths.replies),
    staleTime: 0,
  })
  return replies.find(({ _id }) => _id === id) ?? null
}

/** Phones type a capital letter and add a space after the word. */
function cleanShortcut(typed: string): string {
  return typed.trim().replace(/^\//, '').toLowerCase()
}
