import { Download, Printer } from 'virtual:icons'
import { accountPaths } from '@proctorpass/shared/account-paths'
import type { RecoveryCodes, TotpSetup } from '@proctorpass/shared/schemas/factors'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { encode } from 'uqr'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { saveFile } from '../../lib/save-file.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { useAdminChat } from '../chats/live/admin-chat-context.tsx'
import { factorsQuery, hasFactor } from '../ui/account.tsx'
import { required, TextField } from '../ui/admin-form.tsx'
import { Group } from '../ui/group.tsx'
import { Loading } from '../ui/loading.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { Passkeys } from './passkeys.tsx'
import { SESSIONS } from './sessions.tsx'
import './account.css'

const post = <T,>(path: string, body?: unknown) => callAsAdmin<T>(path, { method: 'POST', body })

/** Tells an admin without a second factor why they were led here, and when they may go on. */
export function RequiredFactor() {
  const { chat } = useAdminChat()
  const queryClient = useQueryClient()
  const { data } = useQuery(factorsQuery)
  const isDone = data !== undefined && hasFactor(data)
  useEffect(() => {
    if (!isDone) return
    // The server refused them until now.
    chat.reconnect()
    void queryClient.invalidateQueries()
  }, [isDone, chat, queryClient])
  return (
    <p className="work-note" role="status">
      {data === undefined || isDone
        ? isDone && (
            <>
              Your second factor is set up. Save your recovery codes, then{' '}
              <Link to="/dashboard/chats">go to the conversations</Link>.
            </>
          )
        : 'Your team requires a second factor. Add a passkey or set up an app to continue.'}
    </p>
  )
}

export function SecondFactors() {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(factorsQuery)
  const [setup, setSetup] = useState<TotpSetup | null>(null)
  /**
   * The new recovery codes. The page shows them until the admin leaves it, because the server has only their hashes.
   */
  const [codes, setCodes] = useState<string[]>([])

  function handleChanged(recovery: string[]): void {
    setSetup(null)
    // The codes on the screen stay valid while another factor is added or removed.
    if (recovery.length > 0) setCodes(recovery)
    void queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey })
    void queryClient.invalidateQueries({ queryKey: SESSIONS })
  }

  const begin = useMutation({
    mutationFn: () => post<TotpSetup>(accountPaths.totp),
    onSuccess: setSetup,
    onError: (error) => toast.error(errorMessage(error)),
  })
  const renew = useMutation({
    mutationFn: () => post<RecoveryCodes>(accountPaths.recovery),
    onSuccess: ({ recovery }) => handleChanged(recovery),
    onError: (error) => toast.error(errorMessage(error)),
  })
  const { ask, dialog } = useDelete({
    title: 'Remove authenticator app?',
    question:
      data?.passkeys.length === 0
        ? "You'll sign in with only your password. Your recovery codes will stop working."
        : "You'll no longer be able to sign in with its codes.",
    confirmLabel: 'Remove',
    list: factorsQuery.queryKey,
    onDeleted: () => handleChanged([]),
  })

  return (
    <>
      {data !== undefined && <Passkeys factors={data} list={factorsQuery.queryKey} onAdded={handleChanged} />}
      <Group
        id="authenticator"
        title="Authenticator app"
        note={
          data?.totp
            ? 'To sign in, you enter a code from your app.'
            : 'An app on your phone shows a code that you enter after your password.'
        }
      >
        {error && (
          <p role="alert" className="field-error">
            {errorMessage(error)}
          </p>
        )}
        {data === undefined && !error && <Loading />}
        {setup !== null && <ConfirmSetup setup={setup} onDone={handleChanged} />}
        {data !== undefined && setup === null && (
          <div className="form-end">
            <button
              type="button"
              className="button"
              aria-disabled={begin.isPending}
              onClick={() => begin.isPending || begin.mutate()}
            >
              {data.totp ? 'Use another app' : 'Set up app'}
            </button>
            {data.totp && (
              <button
                type="button"
                className="button button-quiet button-red"
                onClick={() => ask(accountPaths.totp)}
              >
                Remove app
              </button>
            )}
          </div>
        )}
      </Group>
      {data !== undefined && hasFactor(data) && (
        <Group
          id="recovery"
          title="Recovery codes"
          note={
            codes.length === 0 && (
              <>
                You have {data.recovery} recovery {data.recovery === 1 ? 'code' : 'codes'} left. Each one
                signs you in once, together with your password, when you don't have your second factor.
              </>
            )
          }
        >
          {codes.length > 0 && <Codes codes={codes} />}
          <div className="form-end">
            <button
              type="button"
              className="button"
              aria-disabled={renew.isPending}
              onClick={() => renew.isPending || renew.mutate()}
            >
              Make new codes
            </button>
          </div>
        </Group>
      )}
      {dialog}
    </>
  )
}

function ConfirmSetup({ setup, onDone }: { setup: TotpSetup; onDone: (codes: string[]) => void }) {
  const form = useAdminForm({
    defaultValues: { code: '' },
    async send(body) {
      const { recovery } = await post<RecoveryCodes>(accountPaths.totpConfirm, body)
      onDone(recovery)
      return "Authenticator app set up. You're signed out everywhere else."
    },
  })
  return (
    <form className="card totp-setup" {...form.props}>
      <QrCode text={setup.uri} />
      <div>
        <p>Scan this code with your authenticator app, or enter the key there.</p>
        <p>
          Key: <code className="totp-key">{setup.secret.match(/.{4}/g)?.join(' ')}</code>
        </p>
        <TextField
          form={form}
          name="code"
          label="Code from the app"
          rule={required('Code is required')}
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={64}
        />
        <div className="form-end">
          <SubmitButton busy={form.busy} isPlain>
            Confirm
          </SubmitButton>
        </div>
      </div>
    </form>
  )
}

/** The code is black on white in every color scheme, because scanners need the contrast. */
function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(text, { border: 4 })
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
    return { size, path: dark.join('') }
  }, [text])
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code for the key">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}

function Codes({ codes }: { codes: string[] }): ReactNode {
  const id = useId()
  function download(): void {
    saveFile(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }), 'recovery-codes.txt')
  }
  return (
    <>
      <p id={id} role="status" className="work-note" data-tone="amber">
        Save these codes now. They won't be shown again. Each one signs you in once, together with your
        password, when you don't have your second factor.
      </p>
      <h3 className="recovery-title">Recovery codes for {window.location.host}</h3>
      <ul className="recovery-codes" aria-labelledby={id}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="form-end">
        <button type="button" className="button" onClick={download}>
          <Icon of={Download} />
          Download
        </button>
        <button type="button" className="button" onClick={() => window.print()}>
          <Icon of={Printer} />
          Print
        </button>
      </div>
    </>
  )
}
