import { adminPaths } from '@proctorpass/shared/admin-paths'
import { PROFILE_FIELDS } from '@proctorpass/shared/fields/team'
import { trimmed } from '@proctorpass/shared/fields/text'
import type { ChangeAdmin, ChangedAdmin, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { Field } from '../ui/field.tsx'
import { TEAM } from '../ui/team.ts'

export function RenameDialog({ admin, onClose }: { admin: TeamAdmin; onClose: () => void }) {
  const queryClient = useQueryClient()
  const form = useForm({ defaultValues: { displayName: admin.displayName ?? '' } })
  const { errors, isSubmitting } = form.formState

  async function handleValid({ displayName }: { displayName: string }): Promise<void> {
    const body: ChangeAdmin = { displayName: trimmed(displayName) === '' ? null : displayName }
    try {
      await callAsAdmin<ChangedAdmin>(adminPaths.teamAdmin(admin.userId), { method: 'PATCH', body })
      void queryClient.invalidateQueries({ queryKey: TEAM })
      toast.success('Name saved')
      onClose()
    } catch (error) {
      const [wrong] = refusedFields(error, ['displayName'])
      if (wrong) form.setError('displayName', { message: wrong.message }, { shouldFocus: true })
      toast.error(wrong?.message ?? errorMessage(error))
    }
  }

  return (
    <Dialog title={`Rename ${admin.userName}`} onClose={onClose} busy={isSubmitting}>
      <form className="dialog-form" noValidate onSubmit={form.handleSubmit(handleValid)}>
        <Field
          label="Display name"
          hint="Visitors see it beside the messages. Empty: they see the name of the site."
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
        <DialogEnd submitLabel="Save" busy={isSubmitting} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
