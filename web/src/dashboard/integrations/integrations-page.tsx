import { PageHeading } from '../ui/page-heading.tsx'
import { EndpointsPart } from './endpoints-part.tsx'
import { KeysPart } from './keys-part.tsx'
import '../ui/content.css'
import './integrations.css'

/** What connects other programs: endpoints that events are posted to, and API keys. */
export function IntegrationsPage() {
  return (
    <section className="dashboard-page integrations">
      <PageHeading>Integrations</PageHeading>
      <EndpointsPart />
      <KeysPart />
    </section>
  )
}
