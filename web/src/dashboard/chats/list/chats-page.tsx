import { Keyboard, ListFilter, SquareCheck } from 'virtual:icons'
import { useId, useState } from 'react'
import { Icon } from '../../../components/icon.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { availableCommands } from '../../ui/shortcuts.ts'
import { useListFilter } from '../live/filters.ts'
import { ConversationList } from './conversation-list.tsx'
import { countFilters, FilterBar } from './filter-bar.tsx'
import { TAB_PANEL_ID, TabList, tabElementId } from './tab-list.tsx'

const KEYS = 'Keyboard shortcuts'

export function ChatsPage() {
  const [filter, setFilter] = useListFilter()
  const [isSelecting, setSelecting] = useState(false)
  const count = countFilters(filter)
  // A narrow page folds the filters.
  const [isFiltering, setFiltering] = useState(count > 0)
  const filtersId = useId()
  const buttons = (
    <>
      <SearchField />
      <div className="chats-buttons">
        <button
          type="button"
          className="icon-button filters-fold"
          aria-label={count === 0 ? 'Filters' : `Filters (${count})`}
          aria-expanded={isFiltering}
          aria-controls={filtersId}
          onClick={() => setFiltering(!isFiltering)}
        >
          <Icon of={ListFilter} />
          {count > 0 && <span className="dashboard-badge">{count}</span>}
        </button>
        <button
          type="button"
          className="icon-button chats-select"
          aria-label="Select"
          aria-pressed={isSelecting}
          onClick={() => setSelecting(!isSelecting)}
        >
          <Icon of={SquareCheck} />
        </button>
        <button
          type="button"
          className="icon-button chats-keys"
          aria-label={KEYS}
          onClick={() =>
            availableCommands()
              .find(({ label }) => label === KEYS)
              ?.run()
          }
        >
          <Icon of={Keyboard} />
        </button>
      </div>
    </>
  )
  return (
    <section className="dashboard-page dashboard-page-full chats-page">
      <PageHeading actions={buttons}>Messages</PageHeading>
      <div className="chats-bar">
        <TabList tab={filter.tab} onChoose={(tab) => setFilter({ tab })} />
        <FilterBar id={filtersId} isOpen={isFiltering} filter={filter} onChange={setFilter} />
      </div>
      <div
        className="chats-panel"
        id={TAB_PANEL_ID}
        role="tabpanel"
        aria-labelledby={tabElementId(filter.tab)}
      >
        <ConversationList isSelecting={isSelecting} onSelecting={setSelecting} />
      </div>
    </section>
  )
}
