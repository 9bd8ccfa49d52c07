import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { LoadFailed } from '../ui/load-failed.tsx'
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
      {data === undefined && error && <LoadFailed error={error} onRetry={refetch} />}
      {data !== undefined && <SettingsForm stored={data} />}
    </section>
  )
}
