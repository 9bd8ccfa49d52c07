import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { useQuery } from '@tanstack/react-query'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { SettingsForm } from './settings-form.tsx'
import { SETTINGS } from './use-settings-form.ts'
import '../ui/content.css'
import './settings.css'

export function SettingsPage() {
  const { data, error, refetch } = useQuery({
    queryKey: SETTINGS,
    queryFn: ({ signal }) => callAsAdmin<Settings>(adminPaths.settings, { signal }),
  })
  return (
    <section className="dashboard-page">
      <PageHeading>Settings</PageHeading>
      {data === undefined && !error && <Loading />}
      {data === undefined && error && (
        <div className="dashboard-note" role="alert">
          <p>{errorMessage(error)}</p>
          <button type="button" className="button button-quiet" onClick={() => void refetch()}>
            Try again
          </button>
        </div>
      )}
      {data !== undefined && <SettingsForm stored={data} />}
    </section>
  )
}
