import { Plus } from 'virtual:icons'
import type { Endpoint, EndpointSecret } from '@proctorpass/shared/schemas/endpoint'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Group } from '../ui/group.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { EndpointCard } from './endpoint-card.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { OnceDialog } from './once-dialog.tsx'
import { useEndpoints } from './queries.ts'

/** Lists the endpoints. Admins add, change, and test them here. */
export function EndpointsPart() {
  const { data, error, isPending, refetch } = useEndpoints()
  /** `new` while an admin adds one. */
  const [edited, setEdited] = useState<Endpoint | 'new' | null>(null)
  const [made, setMade] = useState<EndpointSecret | null>(null)
  return (
    <Group
      id="endpoints"
      title="Webhooks"
      note="Sends events to your server: new conversations, messages, changes, notes, and ratings."
      action={
        <button type="button" className="button" onClick={() => setEdited('new')}>
          <Icon of={Plus} />
          Add endpoint
        </button>
      }
    >
      {isPending && !error && <Loading />}
      {data === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      {data?.count === 0 && (
        <EmptyState message="No endpoints yet">
          Add your server's URL. It needs HTTPS and a public address.
        </EmptyState>
      )}
      {data?.endpoints.map((endpoint) => (
        <EndpointCard
          key={endpoint._id}
          endpoint={endpoint}
          onEdit={() => setEdited(endpoint)}
          onSecret={setMade}
        />
      ))}
      {edited !== null && (
        <EndpointForm
          endpoint={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onAdded={setMade}
        />
      )}
      {made !== null && edited === null && (
        <OnceDialog
          title={`Secret for ${made.data.name}`}
          label="Secret"
          text={made.secret}
          hint={
            made.data.oldSecretUntil === null
              ? 'Your server uses it to verify that requests come from here.'
              : 'The old secret keeps working for 24 hours. Update your server before then.'
          }
          onClose={() => setMade(null)}
        />
      )}
    </Group>
  )
}
