import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { ApiKey, CreatedApiKey } from '@proctorpass/shared/schemas/key'
import { useState } from 'react'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { adminName, useTeam } from '../ui/team.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { KeyForm, SCOPE_LABELS } from './key-form.tsx'
import { OnceDialog } from './once-dialog.tsx'
import { KEYS, useKeys } from './queries.ts'

/** Lists the API keys. Admins add and delete them here. */
export function KeysPart() {
  const { data, error, isPending, refetch } = useKeys()
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  const { ask, dialog } = useDelete({
    title: 'Delete this API key?',
    question: "Programs that use it stop working immediately. This can't be undone.",
    notice: 'API key deleted',
    list: KEYS,
  })
  return (
    <section aria-labelledby="keys-heading">
      <div className="integrations-head">
        <h2 id="keys-heading">API keys</h2>
        <button type="button" className="button button-primary" onClick={() => setAdding(true)}>
          Add API key
        </button>
      </div>
      <p className="integrations-words">Use API keys to let other programs work with your inbox.</p>
      {isPending && !error && <Loading />}
      {data === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      {data?.count === 0 && (
        <EmptyState message="No API keys yet">
          Add one for each program, with only the permissions it needs.
        </EmptyState>
      )}
      {data?.keys.map((key) => (
        <KeyCard key={key._id} apiKey={key} onDelete={() => ask(integrationPaths.key(key._id))} />
      ))}
      {isAdding && <KeyForm onClose={() => setAdding(false)} onCreated={setCreated} />}
      {created !== null && !isAdding && (
        <OnceDialog
          title={`API key ${created.data.name}`}
          label="API key"
          text={created.key}
          hint="Programs send it in the header “Authorization: Bearer ppk_…”, never in a URL."
          onClose={() => setCreated(null)}
        />
      )}
      {dialog}
    </section>
  )
}

function KeyCard({ apiKey, onDelete }: { apiKey: ApiKey; onDelete: () => void }) {
  const { _id, name, prefix, scopes, createdAt, createdBy, expiresAt, lastUsedAt } = apiKey
  const team = useTeam()
  return (
    <article className="integration" aria-labelledby={`key-${_id}`}>
      <h3 id={`key-${_id}`}>
        <bdi>{name}</bdi> <code>{prefix}…</code>
      </h3>
      <p>Permissions: {scopes.map((scope) => SCOPE_LABELS[scope].toLowerCase()).join('; ')}</p>
      <p className="integration-state">
        {lastUsedAt === null ? (
          'Never used'
        ) : (
          <>
            Used <RelativeTime iso={lastUsedAt} />
          </>
        )}
        , added <RelativeTime iso={createdAt} /> by {adminName(team, createdBy, null)}
        {expiresAt !== null && (
          <>
            , {Date.parse(expiresAt) > Date.now() ? 'expires' : 'expired'}{' '}
            <RelativeTime iso={expiresAt} exact />
          </>
        )}
      </p>
      <p className="row-actions">
        <button type="button" className="link-button link-button-red" onClick={onDelete}>
          Delete <span className="visually-hidden">{name}</span>
        </button>
      </p>
    </article>
  )
}
