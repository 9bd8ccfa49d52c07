import { KeyRound, Plus, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { SITE_SECRETS_MAX } from '@proctorpass/shared/limits'
import type { NewSecret, Site } from '@proctorpass/shared/schemas/site'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { CopyBox } from '../ui/copy-box.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { SITES } from '../ui/sites.ts'
import { useDelete } from '../ui/use-delete.tsx'

/** Lists a website's secrets, which sign its visitors. */
export function SiteSecrets({ site }: { site: Site }) {
  const queryClient = useQueryClient()
  const [added, setAdded] = useState<NewSecret | null>(null)
  const { mutate, isPending } = useMutation({
    mutationFn: () => callAsAdmin<NewSecret>(adminPaths.siteSecrets(site._id), { method: 'POST' }),
    onSuccess: (secret) => {
      setAdded(secret)
      return queryClient.invalidateQueries({ queryKey: SITES })
    },
    onError: (error) => toast.error(errorMessage(error)),
  })
  const { ask, dialog } = useDelete({
    title: 'Delete this secret?',
    question: 'Tokens that it signed stop working immediately. Switch your server to the other secret first.',
    notice: 'Secret deleted',
    list: SITES,
  })
  return (
    <div className="site-secrets">
      <h3>Secrets</h3>
      <p>Your server uses a secret to verify who a visitor is. Keep it on the server, never in a page.</p>
      <ul className="card row-list">
        {site.secrets.map((secret, index) => (
          <li key={secret._id}>
            <Icon of={KeyRound} />
            <p>
              Secret {index + 1}, added <RelativeTime iso={secret.createdAt} />,{' '}
              {secret.lastUsedAt === null ? (
                'never used'
              ) : (
                <>
                  used <RelativeTime iso={secret.lastUsedAt} />
                </>
              )}
            </p>
            <IconButton
              icon={Trash2}
              label={`Delete secret ${index + 1}`}
              onClick={() => ask(adminPaths.siteSecret(site._id, secret._id))}
            />
          </li>
        ))}
      </ul>
      {added !== null && (
        <CopyBox
          label="New secret"
          text={added.secret}
          hint="Copy it to your server now. It won't be shown again."
        />
      )}
      {site.secrets.length < SITE_SECRETS_MAX && (
        <button
          type="button"
          className="button"
          aria-disabled={isPending}
          onClick={() => isPending || mutate()}
        >
          <Icon of={Plus} />
          Add secret
        </button>
      )}
      {dialog}
    </div>
  )
}
