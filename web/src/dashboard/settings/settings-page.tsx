import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { liveConfigQuery } from '../ui/live-config.ts'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { languagesQuery } from './language-fields.tsx'
import { SettingsForm } from './settings-form.tsx'
import { SETTINGS } from './use-settings-form.ts'
import '../ui/content.css'
import './settings.css'

export function SettingsPage() {
  const settings = useQuery({
    queryKey: SETTINGS,
    queryFn: ({ signal }) => callAsAdmin<Settings>(adminPaths.settings, { signal }),
  })
  const config = useQuery(liveConfigQuery)
  // The form waits for the list, so that nothing below it moves, but is shown without it if it can't be loaded.
  const languages = useQuery(languagesQuery)
  const failed = [settings, config].find(({ data, error }) => data === undefined && error !== null)
  const isKnown = settings.data !== undefined && config.data !== undefined && !languages.isPending
  return (
    <section className="dashboard-page">
      <PageHeading>Settings</PageHeading>
      {!isKnown && !failed && <Loading />}
      {failed && <LoadFailed error={failed.error} onRetry={failed.refetch} />}
      {isKnown && <SettingsForm stored={settings.data} hasMail={config.data.chat.mail} />}
    </section>
  )
}
