import type { Report } from '@proctorpass/shared/schemas/report'
import { useClockText } from '../../chat/view/relative-clock.tsx'
import { Field } from '../ui/field.tsx'
import { useSites } from '../ui/sites.ts'
import { pastAdmins, stateSuffix, useTeam } from '../ui/team.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const RANGES = ['7', '28', '90']

/** Returns the query of a report: the last days up to today, or the dates that the admin chose. */
export function queryOf(parameters: URLSearchParams, today: string): string {
  const days = Number(daysOf(parameters))
  const first = new Date(Date.parse(today) - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  const query = new URLSearchParams({
    from: parameters.get('from') ?? first,
    to: parameters.get('to') ?? today,
  })
  for (const name of ['zone', 'time', 'site', 'label', 'assignee']) {
    const value = parameters.get(name)
    if (value) query.set(name, value)
  }
  return `${query}`
}

/** Returns one of `RANGES`, even if the address has another value. */
function daysOf(parameters: URLSearchParams): string {
  const days = parameters.get('days') ?? ''
  return RANGES.includes(days) ? days : '28'
}

interface FiltersProps {
  parameters: URLSearchParams
  report: Report | undefined
  onChange: (values: Record<string, string | undefined>) => void
}

export function Filters({ parameters, report, onChange }: FiltersProps) {
  const team = useTeam()
  const sites = useSites()
  const isOwn = parameters.has('from') || parameters.has('to') || parameters.get('days') === 'own'
  const of = (name: string) => ({
    value: parameters.get(name) ?? '',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const shownDays = report && { from: report.from, to: report.to }
  // The field keeps the typed text, even half a date or a year's first digits.
  const day = (name: string) => ({
    type: 'date',
    min: '2000-01-01',
    defaultValue: parameters.get(name) ?? '',
    onChange: ({ target: { value, validity } }: { target: HTMLInputElement }) =>
      validity.valid && onChange({ [name]: value }),
  })
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const labels = new Set([...(report?.labels.map(({ label }) => label) ?? []), parameters.get('label') ?? ''])
  return (
    <fieldset className="report-filters filter-row">
      <legend className="visually-hidden">Range and filters</legend>
      <Field label="Period" error={undefined}>
        {(shared) => (
          <select
            {...shared}
            value={isOwn ? 'own' : daysOf(parameters)}
            onChange={({ target: { value } }) =>
              // The chosen dates begin as those that are shown.
              onChange({ days: value, from: undefined, to: undefined, ...(value === 'own' && shownDays) })
            }
          >
            {RANGES.map((days) => (
              <option key={days} value={days}>
                Last {days} days
              </option>
            ))}
            <option value="own">Custom</option>
          </select>
        )}
      </Field>
      {isOwn && (
        <>
          <Field label="From" error={undefined}>
            {(shared) => <input {...shared} {...day('from')} />}
          </Field>
          <Field label="To" error={undefined}>
            {(shared) => <input {...shared} {...day('to')} />}
          </Field>
        </>
      )}
      <Field label="Time zone" error={undefined}>
        {(shared) => (
          <select {...shared} {...of('zone')}>
            <option value="">
              {parameters.has('zone') || !report ? 'Same as opening hours' : report.zone}
            </option>
            {[...new Set([own, 'UTC', parameters.get('zone') ?? own])].map((zone) => (
              <option key={zone} value={zone}>
                {zone}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Hours" error={undefined}>
        {(shared) => (
          <select {...shared} {...of('time')}>
            <option value="">All hours</option>
            <option value="open">Business hours only</option>
          </select>
        )}
      </Field>
      <Field label="Assigned to" error={undefined}>
        {(shared) => (
          <select {...shared} {...of('assignee')}>
            <option value="">Anyone</option>
            <option value="none">No one</option>
            {pastAdmins(team).map((admin) => (
              <option key={admin.userId} value={admin.userId}>
                {admin.displayName ?? admin.userName}
                {stateSuffix(admin)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Label" error={undefined}>
        {(shared) => (
          <select {...shared} {...of('label')}>
            <option value="">All</option>
            {[...labels].filter(Boolean).map((label) => (
              <option key={label}>{label}</option>
            ))}
          </select>
        )}
      </Field>
      {sites.length > 0 && (
        <Field label="Website" error={undefined}>
          {(shared) => (
            <select {...shared} {...of('site')}>
              <option value="">All</option>
              <option value="own">Our own pages</option>
              {sites.map(({ _id, name }) => (
                <option key={_id} value={_id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </fieldset>
  )
}

/** Returns today's date as `YYYY-MM-DD`, in this browser's time zone if there is no other. An open page follows it. */
export function useToday(timeZone: string | undefined): string {
  return useClockText((at) => dateIn(timeZone, at))
}

function dateIn(timeZone: string | undefined, at: number): string {
  const part = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  // Sweden's date format is the ISO 8601 format.
  try {
    return new Intl.DateTimeFormat('sv-SE', { ...part, timeZone }).format(at)
  } catch {
    // The time zone in the address does not exist. The server will say so.
    return new Date(at).toISOString().slice(0, 10)
  }
}
