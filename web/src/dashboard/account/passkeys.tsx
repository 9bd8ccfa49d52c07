import { KeyRound, Pencil, Plus, Trash2 } from 'virtual:icons'
import { accountPaths } from '@proctorpass/shared/account-paths'
import type { Factors, Passkey, RecoveryCodes } from '@proctorpass/shared/schemas/factors'
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { hasPasskeys } from '../../lib/passkey-support.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { required, TextField } from '../ui/admin-form.tsx'
import { Group } from '../ui/group.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { useDelete } from '../ui/use-delete.tsx'

interface PasskeysProps {
  factors: Factors
  list: QueryKey
  /** Receives the new recovery codes, if there are any. */
  onAdded: (recovery: string[]) => void
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayOf = (time: string) => <time dateTime={time}>{DAY.format(new Date(time))}</time>

export function Passkeys({ factors, list, onAdded }: PasskeysProps) {
  const { passkeys, passkeyOrigin } = factors
  const [renamed, setRenamed] = useState<string | null>(null)
  /** The ID of the passkey that was renamed last. Its button gets the focus back. */
  const [wasRenamed, setWasRenamed] = useState<string | null>(null)
  const add = useMutation({
    mutationFn: async (): Promise<RecoveryCodes> => (await import('../../lib/passkeys.ts')).addPasskey(),
    onSuccess: ({ recovery }) => {
      toast.success("Passkey added. You're signed out everywhere else.")
      onAdded(recovery)
    },
    onError: (error) => toast.error(errorMessage(error)),
  })
  const isLast = passkeys.length === 1 && !factors.totp
  const { ask, dialog } = useDelete({
    title: 'Remove this passkey?',
    question: isLast
      ? "You'll sign in with only your password. Your recovery codes will stop working."
      : "You'll no longer be able to sign in with it. Remove it from your device too.",
    confirmLabel: 'Remove',
    notice: 'Passkey removed',
    list,
    onDeleted: () => onAdded([]),
  })
  const reason = whyNot(passkeyOrigin)
  return (
    <Group
      id="passkeys"
      title="Passkeys"
      note="A passkey signs you in with your fingerprint, face, or PIN, without a username or password."
    >
      {passkeys.length > 0 && (
        <ul className="card row-list">
          {passkeys.map((passkey) =>
            passkey._id === renamed ? (
              <li key={passkey._id}>
                <Rename
                  passkey={passkey}
                  list={list}
                  onDone={() => {
                    setRenamed(null)
                    setWasRenamed(passkey._id)
                  }}
                />
              </li>
            ) : (
              <PasskeyRow
                key={passkey._id}
                passkey={passkey}
                takesFocus={passkey._id === wasRenamed}
                onRename={() => setRenamed(passkey._id)}
                onRemove={() => ask(accountPaths.passkey(passkey._id))}
              />
            ),
          )}
        </ul>
      )}
      {reason ?? (
        <div>
          <button type="button" className="button" disabled={add.isPending} onClick={() => add.mutate()}>
            <Icon of={Plus} />
            Add a passkey
          </button>
        </div>
      )}
      {dialog}
    </Group>
  )
}

/** Says why the admin cannot add a passkey here. Null if they can. */
function whyNot(origin: string | null): ReactNode {
  if (origin === null) {
    return (
      <p className="field-hint">
        Browsers allow passkeys only on an HTTPS address with a domain name, which this server doesn't have.
        Its operator can set one with <code>PUBLIC_URL</code>.
      </p>
    )
  }
  if (origin !== location.origin) {
    return (
      <p className="field-hint">
        To add a passkey, open <a href={`${origin}/dashboard/account`}>{origin}</a>.
      </p>
    )
  }
  return hasPasskeys() ? null : <p className="field-hint">This browser doesn't support passkeys.</p>
}

interface RowProps {
  passkey: Passkey
  /** Whether the rename form stood in this row's place and was closed. */
  takesFocus: boolean
  onRename: () => void
  onRemove: () => void
}

function PasskeyRow({ passkey, takesFocus, onRename, onRemove }: RowProps) {
  const { name, createdAt, lastUsedAt } = passkey
  return (
    <li>
      <Icon of={KeyRound} />
      <div>
        <b>{name}</b>
        <p className="field-hint">
          Added {dayOf(createdAt)}, {lastUsedAt === null ? 'never used' : <>last used {dayOf(lastUsedAt)}</>}
        </p>
      </div>
      <IconButton
        icon={Pencil}
        label={`Rename ${name}`}
        // The form that had the focus is gone.
        autoFocus={takesFocus}
        onClick={onRename}
      />
      <IconButton icon={Trash2} label={`Remove ${name}`} onClick={onRemove} />
    </li>
  )
}

function Rename({ passkey, list, onDone }: { passkey: Passkey; list: QueryKey; onDone: () => void }) {
  const queryClient = useQueryClient()
  const form = useAdminForm({
    defaultValues: { name: passkey.name },
    async send(body) {
      await callAsAdmin(accountPaths.passkey(passkey._id), { method: 'PATCH', body })
      await queryClient.invalidateQueries({ queryKey: list })
      onDone()
    },
  })
  return (
    <form className="passkey-rename" {...form.props}>
      <TextField
        form={form}
        name="name"
        label="Name of the passkey"
        rule={required('Name is required')}
        type="text"
        // The button that opened this form is gone.
        autoFocus
      />
      <div className="card-end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <SubmitButton busy={form.busy} isPlain>
          Save
        </SubmitButton>
      </div>
    </form>
  )
}
