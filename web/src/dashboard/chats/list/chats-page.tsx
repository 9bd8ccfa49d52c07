import { useState } from 'react'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useListFilter } from '../live/filters.ts'
import { ConversationList } from './conversation-list.tsx'
import { FilterBar } from './filter-bar.tsx'
import { TAB_PANEL_ID, TabList, tabElementId } from './tab-list.tsx'

export function ChatsPage() {
  const [filter, setFilter] = useListFilter()
  const [isSelecting, setSelecting] = useState(false)
  return (
    <section className="dashboard-page chats-page">
      <header className="chats-head">
        <PageHeading>Messages</PageHeading>
        <SearchField />
      </header>
      <TabList tab={filter.tab} onChoose={(tab) => setFilter({ tab })} />
      <div
        className="chats-panel"
        id={TAB_PANEL_ID}
        role="tabpanel"
        aria-labelledby={tabElementId(filter.tab)}
      >
        <div className="chats-tools">
          <button
            type="button"
            className="button button-quiet chats-select"
            aria-pressed={isSelecting}
            onClick={() => setSelecting(!isSelecting)}
          >
            Select
          </button>
          <FilterBar filter={filter} onChange={setFilter} />
        </div>
        <ConversationList isSelecting={isSelecting} onSelecting={setSelecting} />
      </div>
    </section>
  )
}
