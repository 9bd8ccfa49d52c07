import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { ChangeAdmin, ChangedAdmin, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { TEAM, useTeamQuery } from '../ui/team.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import '../ui/content.css'
import './team.css'

type Open = { what: 'invite'; admin: TeamAdmin | null } | { what: 'rename' | 'disable'; admin: TeamAdmin }

/** Lists all admins. They invite, rename, and disable each other here. */
export function TeamPage() {
  const { data, error, refetch } = useTeamQuery()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const { mutate, isPending } = useDisabling(close)
  const removal = useDelete({
    title: 'Remove this admin?',
    question:
      "They haven't joined yet. The invitation will stop working, and the username will be available again.",
    confirmLabel: 'Remove',
    notice: 'Admin removed',
    list: TEAM,
  })

  return (
    <section className="dashboard-page team">
      <PageHeading
        actions={
          <button
            type="button"
            className="button button-primary"
            onClick={() => setOpen({ what: 'invite', admin: null })}
          >
            Invite an admin
          </button>
        }
      >
        Team
      </PageHeading>
      {data === undefined && !error && <Loading />}
      {data === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      <ul className="team-list">
        {data?.admins.map((admin) => (
          <Row
            key={admin.userId}
            admin={admin}
            onOpen={setOpen}
            onEnable={() => mutate({ admin, disabled: false })}
            onRemove={() => removal.ask(adminPaths.teamAdmin(admin.userId))}
          />
        ))}
      </ul>
      {removal.dialog}
      {open?.what === 'invite' && <InviteDialog invited={open.admin} onClose={close} />}
      {open?.what === 'rename' && <RenameDialog admin={open.admin} onClose={close} />}
      {open?.what === 'disable' && (
        <ConfirmDialog
          title={`Disable ${nameOf(open.admin)}?`}
          question={
            open.admin.invited
              ? 'The invitation stops working. You can enable it again.'
              : "They're signed out everywhere and can't sign in. Their messages stay. You can enable them again."
          }
          confirmLabel="Disable"
          busy={isPending}
          onConfirm={() => mutate({ admin: open.admin, disabled: true })}
          onCancel={close}
        />
      )}
    </section>
  )
}

function useDisabling(onSettled: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ admin, disabled }: { admin: TeamAdmin; disabled: boolean }) =>
      callAsAdmin<ChangedAdmin>(adminPaths.teamAdmin(admin.userId), {
        method: 'PATCH',
        body: { disabled } satisfies ChangeAdmin,
      }),
    onSuccess(_, { admin, disabled }) {
      toast.success(`${nameOf(admin)} ${disabled ? 'disabled' : 'enabled'}`)
      return queryClient.invalidateQueries({ queryKey: TEAM })
    },
    onError: (error) => toast.error(errorMessage(error)),
    onSettled,
  })
}

interface RowProps {
  admin: TeamAdmin
  onOpen: (open: Open) => void
  onEnable: () => void
  onRemove: () => void
}

function Row({ admin, onOpen, onEnable, onRemove }: RowProps) {
  const { userName, displayName, disabled, invited, you } = admin
  const whose = <span className="visually-hidden">{userName}</span>
  return (
    <li>
      <div>
        <h2 dir="auto">
          {nameOf(admin)}
          {you && <span className="team-you"> (you)</span>}
        </h2>
        <p className="team-user-name">{displayName === null ? 'No display name' : userName}</p>
      </div>
      <ul className="team-states">
        {stateOf(admin).map(({ label, kind }) => (
          <li key={label} data-kind={kind}>
            {label}
          </li>
        ))}
      </ul>
      <p className="row-actions">
        {invited && (
          <button type="button" className="link-button" onClick={() => onOpen({ what: 'invite', admin })}>
            New link {whose}
          </button>
        )}
        <button type="button" className="link-button" onClick={() => onOpen({ what: 'rename', admin })}>
          Rename {whose}
        </button>
        {invited && (
          <button type="button" className="link-button link-button-red" onClick={onRemove}>
            Remove {whose}
          </button>
        )}
        {disabled && !invited && (
          <Link to={`/dashboard/chats?assignee=${admin.userId}`}>Conversations {whose}</Link>
        )}
        {disabled ? (
          <button type="button" className="link-button" onClick={onEnable}>
            Enable {whose}
          </button>
        ) : (
          <button
            type="button"
            className="link-button link-button-red"
            onClick={() => onOpen({ what: 'disable', admin })}
          >
            Disable {whose}
          </button>
        )}
      </p>
    </li>
  )
}

interface State {
  label: string
  kind: 'good' | 'plain' | 'bad'
}

function stateOf({ online, onDuty, disabled, invited, you }: TeamAdmin): State[] {
  if (disabled) return [{ label: 'Disabled', kind: 'bad' }]
  if (invited) return [{ label: 'Invited', kind: 'plain' }]
  return [
    // The list may be older than this admin's own connection.
    online || you ? { label: 'Online', kind: 'good' } : { label: 'Offline', kind: 'plain' },
    { label: onDuty ? 'On duty' : 'Off duty', kind: 'plain' },
  ]
}

function nameOf({ displayName, userName }: TeamAdmin): string {
  return displayName ?? userName
}
