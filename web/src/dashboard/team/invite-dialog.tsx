import { adminPaths } from '@proctorpass/shared/admin-paths'
import { PROFILE_FIELDS, USER_NAME_FIELD } from '@proctorpass/shared/fields/team'
import { trimmed } from '@proctorpass/shared/fields/text'
import { INVITE_HOURS } from '@proctorpass/shared/limits'
import type { InviteAdmin, InvitedAdmin, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'
import { TEAM } from '../ui/team.ts'

interface InviteDialogProps {
  /** The admin who gets another link; null for a new one. */
  invited: TeamAdmin | null
  onClose: () => void
}

/** Invites an admin, and then shows the link, which is not shown again. */
export function InviteDialog({ invited, onClose }: InviteDialogProps) {
  const [done, setDone] = useState<InvitedAdmin | null>(null)
  const [busy, setBusy] = useState(false)
  const title = invited === null ? 'Invite an admin' : `New link for ${invited.userName}`
  return (
    <Dialog title={done === null ? title : `Link for ${done.admin.userName}`} onClose={onClose} busy={busy}>
      {done === null ? (
        <InviteForm invited={invited} onBusy={setBusy} onDone={setDone} onClose={onClose} />
      ) : (
        <InviteLink url={done.invite} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface InviteFormProps extends InviteDialogProps {
  onBusy: (busy: boolean) => void
  onDone: (done: InvitedAdmin) => void
}

function InviteForm({ invited, onBusy, onDone, onClose }: InviteFormProps) {
  const queryClient = useQueryClient()
  const form = useForm({
    defaultValues: { userName: invited?.userName ?? '', displayName: invited?.displayName ?? '' },
  })
  const { errors, isSubmitting } = form.formState
  useEffect(() => {
    onBusy(isSubmitting)
    // The link replaces the form while it still submits.
    return () => onBusy(false)
  }, [isSubmitting, onBusy])

  async function handleValid({ userName, displayName }: { userName: string; displayName: string }) {
    const name = trimmed(displayName)
    const body: InviteAdmin = { userName, ...(name === '' ? {} : { displayName: name }) }
    try {
      const done = await callAsAdmin<InvitedAdmin>(adminPaths.team, { method: 'POST', body })
      void queryClient.invalidateQueries({ queryKey: TEAM })
      onDone(done)
    } catch (error) {
      const refused = refusedFields(error, ['userName', 'displayName'])
      refused.forEach(({ field, message }, index) => {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      })
      toast.error(refused[0]?.message ?? errorMessage(error))
    }
  }

  return (
    <form className="dialog-form" noValidate onSubmit={form.handleSubmit(handleValid)}>
      {invited === null ? (
        <>
          <Field label="Username" hint="To sign in with" error={errors.userName?.message}>
            {(shared) => (
              <input
                {...shared}
                {...form.register('userName', { validate: (name) => USER_NAME_FIELD.problem(name) ?? true })}
                type="text"
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
              />
            )}
          </Field>
          <Field
            label="Display name"
            hint="Optional. Visitors see it beside the messages."
            error={errors.displayName?.message}
          >
            {(shared) => (
              <input
                {...shared}
                {...form.register('displayName', {
                  validate: (name) =>
                    trimmed(name) === '' || (PROFILE_FIELDS.displayName.problem(name) ?? true),
                })}
                type="text"
                dir="auto"
                autoComplete="off"
              />
            )}
          </Field>
        </>
      ) : (
        <p>The link that you sent before stops working.</p>
      )}
      <DialogEnd submitLabel="Create link" busy={isSubmitting} onCancel={onClose} />
    </form>
  )
}

function InviteLink({ url, onClose }: { url: string; onClose: () => void }) {
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.select(), [])

  async function handleCopy(): Promise<void> {
    box.current?.select()
    try {
      await navigator.clipboard.writeText(url)
      toast.success('Link copied')
    } catch {
      toast.error("The browser didn't allow copying. Copy the marked link yourself.")
    }
  }

  return (
    <div className="dialog-form">
      <p id={`${id}-hint`}>
        Send it to the new admin. It works once, within {INVITE_HOURS} hours, and isn't shown again.
      </p>
      <div className="field">
        <label htmlFor={id}>Invitation link</label>
        <input ref={box} id={id} type="text" readOnly value={url} aria-describedby={`${id}-hint`} />
      </div>
      <div className="dialog-end">
        <button type="button" className="button button-quiet" onClick={onClose}>
          Close
        </button>
        <button type="button" className="button" onClick={handleCopy}>
          Copy link
        </button>
      </div>
    </div>
  )
}
