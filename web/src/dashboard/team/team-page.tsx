import { Link2, Mail, Pencil, Trash2, UserRoundPlus, UserRoundX } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { ChangeAdmin, ChangedAdmin, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Avatar } from '../ui/avatar.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { TEAM, useTeamQuery } from '../ui/team.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
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
    <section className="dashboard-page dashboard-page-narrow">
      <PageHeading
        actions={
          <button
            type="button"
            className="button button-primary"
            onClick={() => setOpen({ what: 'invite', admin: null })}
          >
            <Icon of={UserRoundPlus} />
            Invite an admin
          </button>
        }
      >
        Team
      </PageHeading>
      {data === undefined && !error && <Loading />}
      {data === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      <ul className="card row-list team-list">
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
  const { userId, userName, displayName, disabled, invited, you } = admin
  const whose = <span className="visually-hidden">{userName}</span>
  return (
    <li data-disabled={disabled}>
      <Avatar clientId={userId} name={nameOf(admin)} large online={isOnline(admin)} face={admin.face} />
      <div>
        <h2 dir="auto">
          {nameOf(admin)}
          {you && <span className="team-you"> (you)</span>}
        </h2>
        <p className="field-hint">{displayName === null ? 'No display name' : userName}</p>
      </div>
      <p className="team-states">
        {statesOf(admin).map(({ label, tone, icon }) => (
          <span key={label} className="chip" data-tone={tone}>
            {icon && <Icon of={icon} />}
            {label}
          </span>
        ))}
      </p>
      <div className="team-actions">
        {invited && (
          <button type="button" className="button button-s" onClick={() => onOpen({ what: 'invite', admin })}>
            <Icon of={Link2} />
            New link {whose}
          </button>
        )}
        {disabled && !invited && (
          <Link className="button button-s button-quiet" to={`/dashboard/chats?assignee=${userId}`}>
            Conversations {whose}
          </Link>
        )}
        {disabled && (
          <button type="button" className="button button-s" onClick={onEnable}>
            Enable {whose}
          </button>
        )}
        <IconButton
          icon={Pencil}
          label={`Rename ${userName}`}
          onClick={() => onOpen({ what: 'rename', admin })}
        />
        {!disabled && (
          <IconButton
            icon={UserRoundX}
            label={`Disable ${userName}`}
            onClick={() => onOpen({ what: 'disable', admin })}
          />
        )}
        {invited && <IconButton icon={Trash2} label={`Remove ${userName}`} onClick={onRemove} />}
      </div>
    </li>
  )
}

interface State {
  label: string
  tone?: 'green' | 'grey' | 'blue' | 'red'
  icon?: string
}

/** The list may be older than this admin's own connection. */
const isOnline = ({ online, you, disabled, invited }: TeamAdmin) => !disabled && !invited && (online || you)

function statesOf(admin: TeamAdmin): State[] {
  if (admin.disabled) return [{ label: 'Disabled', tone: 'red', icon: UserRoundX }]
  if (admin.invited) return [{ label: 'Invited', tone: 'blue', icon: Mail }]
  return [
    isOnline(admin) ? { label: 'Online', tone: 'green' } : { label: 'Offline' },
    admin.onDuty ? { label: 'On duty' } : { label: 'Off duty', tone: 'grey' },
  ]
}

function nameOf({ displayName, userName }: TeamAdmin): string {
  return displayName ?? userName
}
