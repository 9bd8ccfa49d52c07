import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AUDIT_ACTIONS } from '@proctorpass/shared/audit'
import type { AuditEntry, AuditPage as Page } from '@proctorpass/shared/schemas/audit'
import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { callAsAdmin } from '../../lib/session.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { Field } from '../ui/field.tsx'
import '../ui/content.css'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { useSites } from '../ui/sites.ts'
import { pastAdmins, stateSuffix, useTeam } from '../ui/team.ts'
import { type AuditNames, auditChoice, auditWords } from './audit-sentence.ts'
import './audit.css'

/** Says who did what. The address holds the filters. */
export function AuditPage() {
  const [parameters, setParameters] = useSearchParams()
  const filter = filterOf(parameters)
  const log = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      callAsAdmin<Page>(`${adminPaths.audit}?${query({ ...filter, cursor: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const entries = log.data?.pages.flatMap((page) => page.entries)

  function setFilter(name: string, value: string): void {
    const changed = new URLSearchParams(parameters)
    if (value === '') changed.delete(name)
    else changed.set(name, value)
    // With `flushSync`, the next change begins with these parameters.
    setParameters(changed, { replace: true, flushSync: true })
  }

  return (
    <section className="dashboard-page">
      <PageHeading actions={<CsvButton path={`${adminPaths.auditCsv}?${query(filter)}`} name="audit.csv" />}>
        Audit log
      </PageHeading>
      <Filters parameters={parameters} onChange={setFilter} />
      {log.isPending && <Loading />}
      {log.error && <LoadFailed error={log.error} onRetry={log.refetch} />}
      {entries?.length === 0 && (
        <EmptyState message="No entries">Choose other dates, or show all actions.</EmptyState>
      )}
      {entries !== undefined && entries.length > 0 && <Entries entries={entries} />}
      {log.hasNextPage && (
        <button
          type="button"
          className="button"
          aria-disabled={log.isFetchingNextPage}
          onClick={() => log.isFetchingNextPage || log.fetchNextPage()}
        >
          {log.isFetchingNextPage ? 'Loading...' : 'Older entries'}
        </button>
      )}
    </section>
  )
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const names = useNames()
  const days = Map.groupBy(entries, ({ at }) => DAY.format(new Date(at)))
  return (
    <ol className="audit-entries" aria-label="Entries, newest first">
      {[...days].map(([day, ofDay]) => (
        <li key={day}>
          <h2>{day}</h2>
          <ol aria-label={day}>
            {ofDay.map((entry) => (
              <Entry key={entry.n} entry={entry} names={names} />
            ))}
          </ol>
        </li>
      ))}
    </ol>
  )
}

function Entry({ entry, names }: { entry: AuditEntry; names: AuditNames }) {
  const { at, address, n } = entry
  const { who, what, more } = auditWords(entry, names)
  return (
    <li className="audit-entry">
      <div className="audit-words">
        <p>
          <b>
            <bdi>{who}</bdi>
          </b>{' '}
          {what}
        </p>
        {more.length > 0 && (
          <ul className="audit-details">
            {more.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        )}
      </div>
      <p className="audit-when">
        {address !== null && <span>from {address}</span>}
        <span>#{n}</span>
        <time dateTime={at}>{TIME.format(new Date(at))}</time>
      </p>
    </li>
  )
}

/** Returns the names of admins and websites for IDs. Admins are called by their display name if they have one. */
function useNames(): AuditNames {
  const team = useTeam()
  const sites = useSites()
  const nameOf = (admin: TeamAdmin | undefined) => admin && (admin.displayName ?? admin.userName)
  return {
    admin: (userId) => nameOf(team.find((each) => each.userId === userId)),
    adminCalled: (userName) => nameOf(team.find((each) => each.userName === userName)),
    site: (id) => sites.find(({ _id }) => _id === id)?.name,
  }
}

const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'full' })
const TIME = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium' })

interface FiltersProps {
  parameters: URLSearchParams
  onChange: (name: string, value: string) => void
}

function Filters({ parameters, onChange }: FiltersProps) {
  const team = useTeam()
  const of = (name: string) => ({
    value: parameters.get(name) ?? '',
    onChange: (event: { target: { value: string } }) => onChange(name, event.target.value),
  })
  return (
    <fieldset className="filter-row">
      <legend className="visually-hidden">Filters</legend>
      <Field label="Who" error={undefined}>
        {(shared) => (
          <select {...shared} {...of('by')}>
            <option value="">Everyone</option>
            {pastAdmins(team).map((admin) => (
              <option key={admin.userId} value={admin.userId}>
                {admin.displayName ?? admin.userName}
                {stateSuffix(admin)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="What" error={undefined}>
        {(shared) => (
          <select {...shared} {...of('action')}>
            <option value="">Everything</option>
            {AUDIT_ACTIONS.map((action) => (
              <option key={action} value={action}>
                {auditChoice(action)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="From" error={undefined}>
        {(shared) => <input type="date" {...shared} {...of('from')} />}
      </Field>
      <Field label="To" error={undefined}>
        {(shared) => <input type="date" {...shared} {...of('to')} />}
      </Field>
    </fieldset>
  )
}

type Filter = Partial<Record<'by' | 'action' | 'from' | 'to', string>>

/** Reads the filter from the address. Both dates are included, as days in the browser's time zone. */
function filterOf(parameters: URLSearchParams): Filter {
  const value = (name: string) => parameters.get(name) || undefined
  return {
    by: value('by'),
    action: value('action'),
    from: timeOf(value('from'), 'T00:00:00'),
    to: timeOf(value('to'), 'T23:59:59.999'),
  }
}

/** Returns undefined without a date, or if the date does not exist. */
function timeOf(date: string | undefined, time: string): string | undefined {
  const at = new Date(`${date}${time}`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

function query(fields: Record<string, string | undefined>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
