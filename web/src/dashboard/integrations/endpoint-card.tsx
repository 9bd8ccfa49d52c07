import { Check, CircleAlert, Pencil, Trash2 } from 'virtual:icons'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { Endpoint, EndpointSecret, Queued } from '@proctorpass/shared/schemas/endpoint'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import { Deliveries } from './deliveries.tsx'
import { ENDPOINTS } from './queries.ts'
import { ReplayDialog } from './replay-dialog.tsx'

interface EndpointCardProps {
  endpoint: Endpoint
  onEdit: () => void
  onSecret: (made: EndpointSecret) => void
}

export function EndpointCard({ endpoint, onEdit, onSecret }: EndpointCardProps) {
  const { _id, name, url, state } = endpoint
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<'replay' | 'secret' | null>(null)
  const close = () => setOpen(null)
  const refetch = () => queryClient.invalidateQueries({ queryKey: ENDPOINTS })
  const onError = (error: unknown) => void toast.error(errorMessage(error))
  const test = useMutation({
    mutationFn: () => callAsAdmin<Queued>(integrationPaths.endpointTest(_id), { method: 'POST' }),
    onSuccess: () => toast.success('Test sent. The deliveries show the response.'),
    onError,
  })
  const enabling = useMutation({
    mutationFn: (enabled: boolean) =>
      callAsAdmin(integrationPaths.endpoint(_id), { method: 'PATCH', body: { enabled } }),
    onSuccess: refetch,
    onError,
  })
  const secret = useMutation({
    mutationFn: () => callAsAdmin<EndpointSecret>(integrationPaths.endpointSecret(_id), { method: 'POST' }),
    onSuccess(made) {
      onSecret(made)
      return refetch()
    },
    onError,
    onSettled: close,
  })
  const { ask, dialog } = useDelete({
    title: 'Delete this endpoint?',
    question: "It won't receive any more events, including those still waiting.",
    notice: 'Endpoint deleted',
    list: ENDPOINTS,
  })
  return (
    <article className="card" aria-labelledby={`endpoint-${_id}`}>
      <header className="integration-head">
        <h3 id={`endpoint-${_id}`}>
          <bdi>{name}</bdi>
        </h3>
        <StateChip endpoint={endpoint} />
        <p>
          <code>{url}</code>
        </p>
        <IconButton icon={Pencil} label={`Edit ${name}`} onClick={onEdit} />
        <IconButton
          icon={Trash2}
          label={`Delete ${name}`}
          onClick={() => ask(integrationPaths.endpoint(_id))}
        />
      </header>
      <div className="integration-actions">
        <Action name={name} isOff={test.isPending} onClick={() => test.mutate()}>
          Send a test
        </Action>
        {state !== 'disabled' && (
          <Action name={name} onClick={() => setOpen('replay')}>
            Replay
          </Action>
        )}
        <Action name={name} onClick={() => setOpen('secret')}>
          New secret
        </Action>
        <Action name={name} isOff={enabling.isPending} onClick={() => enabling.mutate(state === 'disabled')}>
          {state === 'disabled' ? 'Enable' : 'Disable'}
        </Action>
      </div>
      <Deliveries endpoint={endpoint} />
      {open === 'replay' && <ReplayDialog endpoint={endpoint} onClose={close} />}
      {open === 'secret' && (
        <ConfirmDialog
          title="Create a new secret?"
          question="The current secret keeps working for 24 hours. Any older secret stops working now."
          confirmLabel="New secret"
          busy={secret.isPending}
          onConfirm={() => secret.mutate()}
          onCancel={close}
        />
      )}
      {dialog}
    </article>
  )
}

interface ActionProps {
  /** The endpoint's name, for screen readers. */
  name: string
  isOff?: boolean
  onClick: () => void
  children: ReactNode
}

function Action({ name, isOff = false, onClick, children }: ActionProps) {
  return (
    <button
      type="button"
      className="button button-s button-quiet"
      aria-disabled={isOff}
      onClick={() => isOff || onClick()}
    >
      {children} <span className="visually-hidden">{name}</span>
    </button>
  )
}

const TONES = { fine: 'green', failing: 'red', disabled: 'red' } as const

function StateChip({ endpoint }: { endpoint: Endpoint }) {
  return (
    <span className="chip" data-tone={TONES[endpoint.state]}>
      {endpoint.state === 'fine' ? <Icon of={Check} /> : <Icon of={CircleAlert} />}
      <span>
        <StateWords endpoint={endpoint} />
      </span>
    </span>
  )
}

function StateWords({ endpoint: { state, disabledBy, failingSince } }: { endpoint: Endpoint }) {
  if (state === 'disabled') {
    if (disabledBy === 'gone') return 'Disabled by the endpoint, which responded with 410'
    return disabledBy === 'failures' ? 'Disabled after failing for five days' : 'Disabled'
  }
  if (failingSince === null) return 'Fine'
  return (
    <>
      Failing since <RelativeTime iso={failingSince} />
    </>
  )
}
