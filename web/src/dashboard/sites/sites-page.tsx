import { ChevronRight, Globe, Pencil, Plus, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { embedPaths } from '@proctorpass/shared/embed'
import type { Site } from '@proctorpass/shared/schemas/site'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { CopyBox } from '../ui/copy-box.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { useLanguages } from '../ui/language-field.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { SITES, useSitesQuery } from '../ui/sites.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { SiteForm } from './site-form.tsx'
import { SiteInstructions } from './site-instructions.tsx'
import { SiteSecrets } from './site-secrets.tsx'
import { SiteTestPart } from './site-test.tsx'
import './sites.css'

/** Lists the websites on which the widget runs. Admins add, change, and test them here. */
export function SitesPage() {
  const { data, error, isPending, refetch } = useSitesQuery()
  // A form has all of its fields at once if the languages are known before it opens.
  useLanguages()
  /** `new` while an admin adds one. */
  const [edited, setEdited] = useState<Site | 'new' | null>(null)
  const { ask, dialog } = useDelete({
    title: 'Delete this website?',
    question: 'The chat disappears from its pages within five minutes. Its conversations stay in the inbox.',
    notice: 'Website deleted',
    list: SITES,
  })
  return (
    <section className="dashboard-page">
      <PageHeading
        actions={
          <button
            type="button"
            className={edited === null ? 'button button-primary' : 'button'}
            onClick={() => setEdited('new')}
          >
            <Icon of={Plus} />
            Add website
          </button>
        }
      >
        Sites
      </PageHeading>
      {isPending && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {edited === 'new' && <SiteForm site={null} onClose={() => setEdited(null)} />}
      {data?.count === 0 && edited === null && (
        <EmptyState message="No websites yet">
          Add your website to show this chat on its pages. It takes one line of HTML.
        </EmptyState>
      )}
      {data?.sites.map((site) => (
        <SiteCard
          key={site._id}
          site={site}
          edited={edited !== 'new' && edited?._id === site._id ? edited : null}
          onEdit={setEdited}
          onDelete={() => ask(adminPaths.site(site._id))}
        />
      ))}
      {dialog}
    </section>
  )
}

/**
 * Returns why the tag cannot work, or null. On an https page, browsers load no script from an http address, except from
 * their own machine.
 */
export function tagProblem(
  { protocol, hostname }: Pick<Location, 'protocol' | 'hostname'>,
  origins: readonly string[],
): { hint?: string } {
  const isBlocked =
    protocol === 'http:' &&
    !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname) &&
    origins.some((origin) => origin.startsWith('https:'))
  return isBlocked
    ? {
        hint: "Browsers block this tag because it uses HTTP and the website uses HTTPS. Set PUBLIC_URL to this server's HTTPS address.",
      }
    : {}
}

interface SiteCardProps {
  site: Site
  /** The website as it was when the admin began to edit it. Null while they do not edit it. */
  edited: Site | null
  onEdit: (site: Site | null) => void
  onDelete: () => void
}

function SiteCard({ site, edited, onEdit, onDelete }: SiteCardProps) {
  const { _id, name, origins, enabled } = site
  const { origin } = location
  const src = origin + embedPaths.loader(_id)
  const policy = `script-src ${origin}; frame-src ${origin}`
  return (
    <article className="card site-card" aria-labelledby={`site-${_id}`}>
      <header className="site-head">
        <Icon of={Globe} />
        <div>
          <h2 id={`site-${_id}`}>
            <bdi>{name}</bdi>
          </h2>
          <p className="field-hint">{origins.join(', ')}</p>
        </div>
        <span className="chip" data-tone={enabled ? 'green' : 'grey'}>
          {enabled ? 'The chat is on' : 'Off'}
        </span>
        <IconButton
          icon={Pencil}
          label={`Edit ${name}`}
          aria-expanded={edited !== null}
          onClick={() => onEdit(edited === null ? site : null)}
        />
        <IconButton icon={Trash2} label={`Delete ${name}`} onClick={onDelete} />
      </header>
      {edited !== null && <SiteForm site={edited} onClose={() => onEdit(null)} />}
      <CopyBox label="Tag" text={`<script async src="${src}"></script>`} {...tagProblem(location, origins)} />
      <details className="disclosure">
        <summary>
          <Icon of={ChevronRight} />
          <span>
            Install and test<span className="visually-hidden"> {name}</span>
          </span>
        </summary>
        <div className="site-install">
          <CopyBox
            label="Content-Security-Policy"
            text={policy}
            hint="If the website sends this header, add these two sources to it."
          />
          <SiteTestPart site={site} />
          <SiteInstructions src={src} />
          <SiteSecrets site={site} />
        </div>
      </details>
    </article>
  )
}
