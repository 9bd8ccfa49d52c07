import { FunnelX } from 'virtual:icons'
import { labelKey } from '@proctorpass/shared/label-key'
import { useQuery } from '@tanstack/react-query'
import { IconButton } from '../../ui/icon-button.tsx'
import { labelsQuery } from '../../ui/labels.ts'
import { useSites } from '../../ui/sites.ts'
import { adminName, isActive, stateSuffix, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { hasAssigneeFilter, type ListFilter, NO_FILTERS } from '../live/filters.ts'
import { countsQuery } from '../live/summaries.ts'

interface FilterBarProps {
  id: string
  /** Whether a narrow page shows the filters. */
  isOpen: boolean
  filter: ListFilter
  onChange: (change: Partial<ListFilter>) => void
}

/** Returns how many filters narrow the tab down. */
export function countFilters({ label, assignee, unread, site }: ListFilter): number {
  return [label, assignee, unread || null, site].filter((each) => each !== null).length
}

/** Narrows a tab down. A narrow page folds it. */
export function FilterBar({ id, isOpen, filter, onChange }: FilterBarProps) {
  const { userId } = useAdminChat()
  const team = useTeam()
  const used = useQuery(labelsQuery).data?.labels ?? []
  const { tab, label, assignee, unread, site } = filter
  const sites = useSites()
  const { sites: open = {} } = useQuery(countsQuery).data ?? {}
  // The chosen label may be only in the address.
  const labels =
    label === null || used.some((each) => labelKey(each) === labelKey(label)) ? used : [label, ...used]
  return (
    <fieldset className="filters" id={id} data-open={isOpen} aria-label="Filters">
      <select
        className="select"
        aria-label="Label"
        value={label === null ? '' : (labels.find((each) => labelKey(each) === labelKey(label)) ?? '')}
        onChange={(event) => onChange({ label: event.target.value || null })}
      >
        <option value="">Any label</option>
        {labels.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      {hasAssigneeFilter(tab) && (
        <select
          className="select"
          aria-label="Assignee"
          value={assignee ?? ''}
          onChange={(event) => onChange({ assignee: event.target.value || null })}
        >
          <option value="">Any assignee</option>
          <option value={userId}>You</option>
          {/* The Team page leads to a disabled admin's conversations. */}
          {team
            .filter((admin) => !admin.you && (isActive(admin) || admin.userId === assignee))
            .map((admin) => (
              <option key={admin.userId} value={admin.userId}>
                {adminName(team, admin.userId, userId)}
                {stateSuffix(admin)}
              </option>
            ))}
          <option value="none">Unassigned</option>
        </select>
      )}
      {(sites.length > 0 || site !== null) && (
        <select
          className="select"
          aria-label="Website"
          value={site ?? ''}
          onChange={(event) => onChange({ site: event.target.value || null })}
        >
          <option value="">Any website</option>
          <option value="own">This website{openCount(open.own)}</option>
          {sites.map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
              {openCount(open[_id])}
            </option>
          ))}
          {site !== null && site !== 'own' && !sites.some(({ _id }) => _id === site) && (
            <option value={site}>Deleted website</option>
          )}
        </select>
      )}
      <label className="checkbox">
        <input
          type="checkbox"
          checked={unread}
          onChange={(event) => onChange({ unread: event.target.checked })}
        />
        Unread
      </label>
      {countFilters(filter) > 0 && (
        <IconButton icon={FunnelX} label="Clear filters" onClick={() => onChange(NO_FILTERS)} />
      )}
    </fieldset>
  )
}

/** Returns the number of open conversations, which follows a website's name. */
const openCount = (count = 0) => (count === 0 ? '' : ` (${count})`)
