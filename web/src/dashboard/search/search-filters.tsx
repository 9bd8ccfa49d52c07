import { ListFilter, X } from 'virtual:icons'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { labelsQuery } from '../ui/labels.ts'
import { SEARCH_FILTER_NAMES, type SearchFilterName } from '../ui/search-query.ts'
import { useCommands } from '../ui/shortcuts.ts'
import { useSites } from '../ui/sites.ts'
import { adminName, pastAdmins, useTeam } from '../ui/team.ts'

interface SearchFiltersProps {
  search: URLSearchParams
  /** What the IDs of admins and websites are called. */
  names: ReadonlyMap<string, string>
  /** Rendered behind the filters. */
  children: ReactNode
}

interface Choice {
  name: SearchFilterName
  value: string
  label: string
}

const WHEN: readonly Choice[] = [
  { name: 'after', value: '1d', label: 'Last 24 hours' },
  { name: 'after', value: '7d', label: 'Last 7 days' },
  { name: 'after', value: '30d', label: 'Last 30 days' },
]

const STATUSES: readonly Choice[] = (
  [
    ['open', 'Open'],
    ['snoozed', 'Snoozed'],
    ['resolved', 'Resolved'],
    ['spam', 'Spam'],
  ] as const
).map(([value, label]) => ({ name: 'status', value, label }))

const CAME: readonly Choice[] = [
  { name: 'channel', value: 'chat', label: 'By chat' },
  { name: 'channel', value: 'mail', label: 'By mail' },
  { name: 'has', value: 'file', label: 'With files' },
]

/** Shows a search's filters as chips, and offers others. */
export function SearchFilters({ search, names, children }: SearchFiltersProps) {
  const navigate = useNavigate()
  const select = useRef<HTMLSelectElement>(null)
  const groups = useChoices()

  function change(name: SearchFilterName, value: string | null): void {
    const changed = new URLSearchParams(search)
    if (value === null) changed.delete(name)
    else changed.set(name, value)
    navigate(`/dashboard/search?${changed}`, { preventScrollReset: true })
    select.current?.focus()
  }

  useCommands([
    {
      label: 'Add filter',
      icon: ListFilter,
      keys: 'f',
      run() {
        select.current?.focus()
        // Some browsers lack it, and refuse it after a slow command.
        try {
          select.current?.showPicker()
        } catch {}
      },
    },
  ])

  return (
    <fieldset className="search-filters" aria-label="Filters">
      {SEARCH_FILTER_NAMES.map((name) => {
        const value = search.get(name)
        if (value === null) return null
        const words = chipOf(name, value, names)
        return (
          <button
            key={name}
            type="button"
            className="button search-chip"
            aria-label={`Remove filter: ${words}`}
            onClick={() => change(name, null)}
          >
            <bdi>{words}</bdi>
            <Icon of={X} />
          </button>
        )
      })}
      <select
        ref={select}
        className="select"
        aria-label="Add filter"
        aria-keyshortcuts="F"
        value=""
        onChange={({ target }) => {
          const [group, at] = target.value.split(' ').map(Number)
          const choice = groups[group ?? 0]?.choices[at ?? 0]
          if (choice) change(choice.name, choice.value)
        }}
      >
        <option value="">Add filter</option>
        {groups.map(({ title, choices }, group) =>
          choices.length === 0 ? null : (
            <optgroup key={title} label={title}>
              {choices.map(({ label }, at) => (
                <option key={`${group} ${at}`} value={`${group} ${at}`}>
                  {label}
                </option>
              ))}
            </optgroup>
          ),
        )}
      </select>
      {children}
    </fieldset>
  )
}

function useChoices(): { title: string; choices: readonly Choice[] }[] {
  const team = useTeam()
  const sites = useSites()
  const labels = useQuery(labelsQuery).data?.labels ?? []
  const admins = pastAdmins(team).filter(({ you }) => !you)
  return [
    {
      title: 'From',
      choices: [
        { name: 'from', value: 'visitor', label: 'Visitors' },
        { name: 'from', value: 'me', label: 'You' },
        ...admins.map(({ userId }) => ({
          name: 'from' as const,
          value: userId,
          label: adminName(team, userId, null),
        })),
      ],
    },
    { title: 'When', choices: WHEN },
    { title: 'Label', choices: labels.map((label) => ({ name: 'label', value: label, label })) },
    { title: 'Status', choices: STATUSES },
    { title: 'Messages', choices: CAME },
    {
      title: 'Website',
      choices:
        sites.length === 0
          ? []
          : [
              { name: 'site', value: 'own', label: 'This website' },
              ...sites.map(({ _id, name }) => ({ name: 'site' as const, value: _id, label: name })),
            ],
    },
  ]
}

/** Returns what a filter's chip says. */
function chipOf(name: SearchFilterName, value: string, names: ReadonlyMap<string, string>): string {
  const known = [...WHEN, ...CAME].find((choice) => choice.name === name && choice.value === value)
  if (known !== undefined) return known.label
  switch (name) {
    case 'from':
      return `From: ${value === 'visitor' ? 'visitors' : value === 'me' ? 'you' : (names.get(value) ?? value)}`
    case 'after':
      return /^\d+d$/.test(value) ? `Last ${value.slice(0, -1)} days` : `After: ${value}`
    case 'before':
      return /^\d+d$/.test(value) ? `Before the last ${value.slice(0, -1)} days` : `Before: ${value}`
    case 'label':
      return `Label: ${value}`
    case 'status':
      return `Status: ${value.split(',').map(statusName).join(', ')}`
    case 'channel':
      return `Channel: ${value}`
    case 'site':
      return `Website: ${value === 'own' ? 'this website' : (names.get(value) ?? value)}`
    case 'has':
      return `Has: ${value}`
  }
}

const statusName = (status: string) => STATUSES.find(({ value }) => value === status)?.label ?? status
