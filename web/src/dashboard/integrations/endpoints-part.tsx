import type { Endpoint, EndpointSecret } from '@proctorpass/shared/schemas/endpoint'
import { useState } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
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
    <section aria-labelledby="endpoints-heading">
      <div className="integrations-head">
        <h2 id="endpoints-heading">Webhooks</h2>
        <button type="button" className="button button-primary" onClick={() => setEdited('new')}>
          Add endpoint
        </button>
      </div>
      <p className="integrations-words">
        Sends events to your server: new conversations, messages, changes, notes, and ratings.
      </p>
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
    </section>
  )
}
