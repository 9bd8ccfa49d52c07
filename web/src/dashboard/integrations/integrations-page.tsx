import { PageHeading } from '../ui/page-heading.tsx'
import { EndpointsPart } from './endpoints-part.tsx'
import { KeysPart } from './keys-part.tsx'
import './integrations.css'

/** Shows what connects other programs: the endpoints to which events are posted, and the API keys. */
export function IntegrationsPage() {
  return (
    <section className="dashboard-page dashboard-page-narrow">
      <PageHeading>Integrations</PageHeading>
      <EndpointsPart />
      <KeysPart />
    </section>
  )
}
