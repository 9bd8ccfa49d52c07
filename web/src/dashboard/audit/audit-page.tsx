import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AUDIT_ACTIONS } from '@proctorpass/shared/audit'
import type { AuditEntry, AuditPage as Page } from '@proctorpass/shared/schemas/audit'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { callAsAdmin } from '../../lib/session.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { Field } from '../ui/field.tsx'
import '../ui/content.css'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { pastAdmins, stateSuffix, useTeam } from '../ui/team.ts'
import { auditChoice, auditDetails, auditSentence } from './audit-sentence.ts'
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
    <section className="dashboard-page audit">
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
  const team = useTeam()
  const nameOf = (by: string) => team.find(({ userId }) => userId === by)?.userName ?? by
  return (
    <ol className="audit-entries" aria-label="Entries, newest first">
      {entries.map((entry) => (
        <li key={entry.n}>
          <p dir="auto">{auditSentence(entry, nameOf)}</p>
          <p className="audit-when">
            <time dateTime={entry.at}>{WHEN.format(new Date(entry.at))}</time>
            {entry.address !== null && <span> from {entry.address}</span>}
            <span> · #{entry.n}</span>
          </p>
          {auditDetails(entry).length > 0 && (
            <ul className="audit-details" dir="auto">
              {auditDetails(entry).map((detail) => (
                <li key={detail}>{detail}</li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  )
}

const WHEN = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium' })

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
    <fieldset className="audit-filters">
      <legend className="visually-hidden">Filters</legend>
      <Field label="Who" error={undefined}>
        {(shared) => (
          <select {...shared} {...of('by')}>
            <option value="">Everyone</option>
            {pastAdmins(team).map((admin) => (
              <option key={admin.userId} value={admin.userId}>
                {admin.userName}
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
