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
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Conflict, isVersionConflict } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'
import { readFormDraft, removeFormDraft, useFormDraft } from '../ui/form-draft.ts'
import { REPLIES } from '../ui/replies.ts'
import { typeInto } from '../ui/text-box.ts'
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
  /** Null: a new one. */
  reply: CannedReply | null
  onClose: () => void
}

/** Adds or changes a canned reply. Unsaved values stay in this browser as a draft. */
export function ReplyForm({ reply, onClose }: ReplyFormProps) {
  const queryClient = useQueryClient()
  const draftKey = `draft:reply:${reply?._id ?? 'new'}`
  const [draft, setDraft] = useState(() => readFormDraft<CannedReplyChange>(draftKey))
  const saved = reply ?? NO_REPLY
  const form = useForm<NewCannedReply>({ defaultValues: { shortcut: saved.shortcut, text: saved.text } })
  const { errors, isSubmitting, isDirty } = form.formState
  /** The version that is edited; 0 for a new reply. */
  const [version, setVersion] = useState(draft?.version ?? reply?.version ?? 0)
  /** The version that another admin saved meanwhile. */
  const [other, setOther] = useState<CannedReply | null>(null)
  const [isDone, setDone] = useState(false)
  const values = form.watch()
  const box = useRef<HTMLTextAreaElement>(null)
  const noteId = useId()

  const restore = useEffectEvent(() => {
    if (draft) form.reset({ ...NO_REPLY, ...draft }, { keepDefaultValues: true })
  })
  useEffect(() => restore(), [])
  useFormDraft(draftKey, isDirty && !isDone ? { ...values, version } : null)
  // After the render that removes the draft.
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (isDone) close()
  }, [isDone])

  async function handleValid({ shortcut, text }: NewCannedReply): Promise<void> {
    const fields = { shortcut: cleanShortcut(shortcut), text }
    try {
      const { message } =
        reply === null ? await addReply(fields) : await changeReply(reply._id, { ...fields, version })
      toast.success(message)
      void queryClient.invalidateQueries({ queryKey: REPLIES })
      removeFormDraft(draftKey)
      setDone(true)
    } catch (error) {
      const refused = refusedFields(error, ['shortcut', 'text'])
      refused.forEach(({ field, message }, index) => {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      })
      const stored = reply !== null && isVersionConflict(error) ? await readAgain(reply._id) : null
      if (stored) setOther(stored)
      toast.error(refused[0]?.message ?? errorMessage(error))
    }
  }

  async function readAgain(id: string): Promise<CannedReply | null> {
    const read = () => callAsAdmin<CannedReplyList>(adminPaths.replies)
    const list = await queryClient
      .fetchQuery({ queryKey: REPLIES, queryFn: read, staleTime: 0 })
      .catch(() => undefined)
    return list?.replies.find(({ _id }) => _id === id) ?? null
  }

  const { ref: registerBox, ...textField } = form.register('text', {
    validate: (text) => REPLY_FIELDS.text.problem(text) ?? true,
  })
  const title = reply === null ? 'Add canned reply' : 'Edit canned reply'
  return (
    <Dialog title={title} onClose={onClose} busy={isSubmitting}>
      <form
        className="dialog-form"
        noValidate
        aria-busy={isSubmitting}
        onSubmit={form.handleSubmit(handleValid)}
      >
        {draft && (
          <p className="work-note" id={noteId}>
            Your unsaved changes are back.{' '}
            <button
              type="button"
              className="link-button"
              onClick={() => {
                removeFormDraft(draftKey)
                form.reset()
                setVersion(reply?.version ?? 0)
                setDraft(null)
              }}
            >
              Discard them
            </button>
          </p>
        )}
        <Field
          label="Shortcut"
          hint={`In a conversation, type /${cleanShortcut(values.shortcut) || 'shortcut'}`}
          error={errors.shortcut?.message}
        >
          {(shared) => (
            <input
              {...shared}
              {...form.register('shortcut', {
                validate: (shortcut) => REPLY_FIELDS.shortcut.problem(cleanShortcut(shortcut)) ?? true,
              })}
              type="text"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
        </Field>
        <Field label="Text" error={errors.text?.message}>
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
            />
          )}
        </Field>
        <p className="reply-variables">
          Insert{' '}
          {Object.entries(VARIABLE_LABELS).map(([variable, label]) => (
            <button
              key={variable}
              type="button"
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => box.current && typeInto(box.current, `{{${variable}}}`)}
            >
              <span className="visually-hidden">Insert </span>
              {label}
            </button>
          ))}
        </p>
        {values.text.trim() !== '' && <ReplyPreview text={values.text} />}
        {other && (
          <Conflict
            what="this reply"
            inDialog
            onKeepMine={() => {
              setVersion(other.version)
              setOther(null)
            }}
            onTakeOther={() => {
              form.reset({ shortcut: other.shortcut, text: other.text })
              setVersion(other.version)
              setOther(null)
            }}
          >
            <p>Your version is still in the form above. This is the saved version:</p>
            <dl>
              <dt>Shortcut</dt>
              <dd>{other.shortcut}</dd>
              <dt>Text</dt>
              <dd className="long-text" dir="auto">
                {other.text}
              </dd>
            </dl>
          </Conflict>
        )}
        <DialogEnd submitLabel="Save" cancelLabel="Close" busy={isSubmitting} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function addReply(body: NewCannedReply): Promise<SavedCannedReply> {
  return callAsAdmin(adminPaths.replies, { method: 'POST', body })
}

function changeReply(id: string, body: CannedReplyChange): Promise<SavedCannedReply> {
  return callAsAdmin(adminPaths.reply(id), { method: 'PATCH', body })
}

/** As phones type it, with a space behind and a capital. */
function cleanShortcut(typed: string): string {
  return typed.trim().replace(/^\//, '').toLowerCase()
}
