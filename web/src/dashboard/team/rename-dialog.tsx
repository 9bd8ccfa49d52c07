import { adminPaths } from '@proctorpass/shared/admin-paths'
import { PROFILE_FIELDS } from '@proctorpass/shared/fields/team'
import { trimmed } from '@proctorpass/shared/fields/text'
import type { ChangeAdmin, ChangedAdmin, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { useQueryClient } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { FormDialog, optional, TextField } from '../ui/admin-form.tsx'
import { TEAM } from '../ui/team.ts'
import { useAdminForm } from '../ui/use-admin-form.ts'

export function RenameDialog({ admin, onClose }: { admin: TeamAdmin; onClose: () => void }) {
  const queryClient = useQueryClient()
  const form = useAdminForm({
    defaultValues: { displayName: admin.displayName ?? '' },
    async send({ displayName }) {
      const body: ChangeAdmin = { displayName: trimmed(displayName) === '' ? null : displayName }
      await callAsAdmin<ChangedAdmin>(adminPaths.teamAdmin(admin.userId), { method: 'PATCH', body })
      void queryClient.invalidateQueries({ queryKey: TEAM })
      onClose()
      return 'Name saved'
    },
  })
  return (
    <FormDialog title={`Rename ${admin.userName}`} form={form} submitLabel="Save" onClose={onClose}>
      <TextField
        form={form}
        name="displayName"
        label="Display name"
        hint="Visitors see it beside this admin's messages. Leave blank to show the site's name."
        rule={optional(PROFILE_FIELDS.displayName)}
        type="text"
        dir="auto"
        autoComplete="off"
      />
    </FormDialog>
  )
}
