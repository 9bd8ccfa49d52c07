import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Report } from '@proctorpass/shared/schemas/report'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { callAsAdmin } from '../../lib/session.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { AnsweredPart } from './answered.tsx'
import { Charts } from './charts.tsx'
import { FigureTable, LargeFigures } from './figure-parts.tsx'
import { NowPart, type NowSource, useNow } from './now.tsx'
import { Filters, queryOf, useToday } from './report-filters.tsx'
import { sentencesOf } from './report-text.ts'
import { AdminTable, ConversationsBehind, GroupTable } from './tables.tsx'
import '../ui/content.css'
import './reports.css'

/** The page asks this often while the server has not counted everything. */
const INDEXING_MS = 2_000

/**
 * Says what happens now and what happened in a range of days, in words first. The address holds the range and the
 * filters.
 */
export function ReportsPage({ source }: { source: NowSource }) {
  const [parameters, setParameters] = useSearchParams()
  const now = useNow(source)
  const query = queryOf(parameters, useToday(parameters.get('zone') ?? now.data?.firstWait.zone))
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['reports', query],
    queryFn: ({ signal }) => callAsAdmin<Report>(`${adminPaths.reports}?${query}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.indexing ? INDEXING_MS : false),
  })

  /** Changes parameters in the address. Undefined removes a parameter. */
  function change(values: Record<string, string | undefined>): void {
    const changed = new URLSearchParams(parameters)
    for (const [name, value] of Object.entries(values)) {
      if (value) changed.set(name, value)
      else changed.delete(name)
    }
    // With `flushSync`, the next change begins with these parameters.
    setParameters(changed, { replace: true, flushSync: true })
  }

  return (
    <section className="dashboard-page reports">
      <PageHeading
        actions={
          <div className="report-actions">
            <CsvButton path={`${adminPaths.reportsCsv}?${query}`} name="reports.csv" />
            <button type="button" className="button" onClick={() => window.print()}>
              Print
            </button>
          </div>
        }
      >
        Reports
      </PageHeading>
      {now.isPending && !now.error ? (
        <Loading />
      ) : (
        <>
          <NowPart {...now} />
          <div className="report-trends">
            <h2>Trends</h2>
            <Filters parameters={parameters} report={data} onChange={change} />
          </div>
          {isPending && !error && <Loading />}
          {error && <LoadFailed error={error} onRetry={refetch} />}
          {data && <Parts report={data} query={query} />}
          {data && <AnsweredPart from={data.from} to={data.to} />}
        </>
      )}
    </section>
  )
}

function Parts({ report, query }: { report: Report; query: string }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const sites = report.sites.filter(({ site }) => site !== 'own').length > 0
  return (
    <>
      <p role="status" className="report-note">
        {report.indexing && 'Still counting. The latest figures will appear shortly.'}
      </p>
      <p className="report-note report-paper">{`${report.from} to ${report.to}, ${report.zone}`}</p>
      <ul className="report-sentences" aria-label="In short">
        {sentencesOf(report).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <LargeFigures report={report} />
      <Charts report={report} />
      <h2>More figures</h2>
      <FigureTable report={report} />
      <h2>Conversations</h2>
      {(['missed', 'slow'] as const).map((kind) => (
        <details
          key={kind}
          onToggle={({ currentTarget: { open } }) => open && setOpened(new Set([...opened, kind]))}
        >
          <summary>{kind === 'missed' ? 'Missed' : 'Slowest 10% of responses'}</summary>
          {opened.has(kind) && <ConversationsBehind query={query} kind={kind} zone={report.zone} />}
        </details>
      ))}
      {report.admins.length > 0 && (
        <>
          <h2>By teammate</h2>
          <p className="report-note">
            Sorted by name, because teammates who take the hard questions naturally take longer.
          </p>
          <AdminTable admins={report.admins} />
        </>
      )}
      {report.labels.length > 0 && (
        <>
          <h2>By label</h2>
          <GroupTable
            heading="Label"
            groups={report.labels.map((row) => ({ name: row.label, figures: row }))}
          />
        </>
      )}
      {sites && (
        <>
          <h2>By website</h2>
          <GroupTable
            heading="Website"
            groups={report.sites.map((row) => ({
              name: row.site === 'own' ? 'Our own pages' : (row.name ?? 'A deleted website'),
              figures: row,
            }))}
          />
        </>
      )}
    </>
  )
}
