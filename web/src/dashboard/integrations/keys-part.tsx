import { Plus, Trash2 } from 'virtual:icons'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { ApiKey, CreatedApiKey } from '@proctorpass/shared/schemas/key'
import { useState } from 'react'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { Icon } from '../../components/icon.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Group } from '../ui/group.tsx'
import { IconButton } from '../ui/icon-button.tsx'
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
    <Group
      id="keys"
      title="API keys"
      note="Use API keys to let other programs work with your inbox."
      action={
        <button type="button" className="button" onClick={() => setAdding(true)}>
          <Icon of={Plus} />
          Add API key
        </button>
      }
    >
      {isPending && !error && <Loading />}
      {data === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      {data?.count === 0 && (
        <EmptyState message="No API keys yet">
          Add one for each program, with only the permissions it needs.
        </EmptyState>
      )}
      {data !== undefined && data.count > 0 && (
        <div className="card">
          {data.keys.map((key) => (
            <KeyRow key={key._id} apiKey={key} onDelete={() => ask(integrationPaths.key(key._id))} />
          ))}
        </div>
      )}
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
    </Group>
  )
}

function KeyRow({ apiKey, onDelete }: { apiKey: ApiKey; onDelete: () => void }) {
  const { _id, name, prefix, scopes, createdAt, createdBy, expiresAt, lastUsedAt } = apiKey
  const team = useTeam()
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <article className="integration-key" aria-labelledby={`key-${_id}`}>
      <h3 id={`key-${_id}`}>
        <bdi>{name}</bdi> <code>{prefix}…</code>
      </h3>
      <p>Permissions: {scopes.map((scope) => SCOPE_LABELS[scope].toLowerCase()).join('; ')}</p>
      <p>
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
            ,{' '}
            <span className="integration-expiry" data-expired={isExpired}>
              {isExpired ? 'expired' : 'expires'} <RelativeTime iso={expiresAt} exact />
            </span>
          </>
        )}
      </p>
      <IconButton icon={Trash2} label={`Delete ${name}`} onClick={onDelete} />
    </article>
  )
}
