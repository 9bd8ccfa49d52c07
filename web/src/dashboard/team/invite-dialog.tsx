import { adminPaths } from '@proctorpass/shared/admin-paths'
import { PROFILE_FIELDS, USER_NAME_FIELD } from '@proctorpass/shared/fields/team'
import { trimmed } from '@proctorpass/shared/fields/text'
import { INVITE_HOURS } from '@proctorpass/shared/limits'
import type { InviteAdmin, InvitedAdmin, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { optional, TextField } from '../ui/admin-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DialogEnd } from '../ui/dialog-end.tsx'
import { liveConfigQuery } from '../ui/live-config.ts'
import { TEAM } from '../ui/team.ts'
import { useAdminForm } from '../ui/use-admin-form.ts'

interface InviteDialogProps {
  /** The admin who gets another link. Null invites a new one. */
  invited: TeamAdmin | null
  onClose: () => void
}

/** Invites an admin, mails them the link if there is an address, and then shows it once. */
export function InviteDialog({ invited, onClose }: InviteDialogProps) {
  const queryClient = useQueryClient()
  const { data: config } = useQuery(liveConfigQuery)
  const [done, setDone] = useState<(InvitedAdmin & { email: string }) | null>(null)
  const form = useAdminForm({
    defaultValues: { userName: invited?.userName ?? '', displayName: invited?.displayName ?? '', email: '' },
    async send({ userName, displayName, email }) {
      const name = trimmed(displayName)
      const to = trimmed(email)
      const body: InviteAdmin = {
        userName,
        ...(name === '' ? {} : { displayName: name }),
        ...(to === '' ? {} : { email: to }),
      }
      const answer = await callAsAdmin<InvitedAdmin>(adminPaths.team, { method: 'POST', body })
      setDone({ ...answer, email: to })
      void queryClient.invalidateQueries({ queryKey: TEAM })
    },
  })
  if (done !== null) {
    return (
      <Dialog title={`Link for ${done.admin.userName}`} onClose={onClose}>
        <InviteLink {...done} />
      </Dialog>
    )
  }
  return (
    <Dialog
      title={invited === null ? 'Invite an admin' : `New link for ${invited.userName}`}
      onClose={onClose}
      busy={form.busy}
    >
      <form className="dialog-form" {...form.props}>
        {invited === null ? (
          <>
            <TextField
              form={form}
              name="userName"
              label="Username"
              hint="To sign in with"
              rule={USER_NAME_FIELD}
              type="text"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <TextField
              form={form}
              name="displayName"
              label="Display name"
              hint="Optional. Visitors see it beside this admin's messages."
              rule={optional(PROFILE_FIELDS.displayName)}
              type="text"
              dir="auto"
              autoComplete="off"
            />
          </>
        ) : (
          <p>The previous link stops working.</p>
        )}
        {config?.chat.mail === true && (
          <TextField
            form={form}
            name="email"
            label="Email"
            hint="Optional. We email the link to this address and don't store it."
            rule={optional(PROFILE_FIELDS.email)}
            type="email"
            autoComplete="off"
          />
        )}
        <DialogEnd submitLabel="Create link" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function InviteLink({ invite: url, mailed, email }: InvitedAdmin & { email: string }) {
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
        {mailed ? `We emailed this link to ${email}. ` : email !== '' && "The email couldn't be sent. "}
        {!mailed && 'Send this link to the new admin. '}
        It works once, within {INVITE_HOURS} hours, and isn't shown again.
      </p>
      <div className="field">
        <label htmlFor={id}>Invitation link</label>
        <input ref={box} id={id} type="text" readOnly value={url} aria-describedby={`${id}-hint`} />
      </div>
      <div className="dialog-end">
        <button type="button" className="button button-primary" onClick={handleCopy}>
          Copy link
        </button>
      </div>
    </div>
  )
}
