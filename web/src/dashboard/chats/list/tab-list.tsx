import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { TABS, type TabId } from '../live/filters.ts'
import { countsQuery } from '../live/summaries.ts'

export const TAB_PANEL_ID = 'conversations-panel'

export const tabElementId = (tab: TabId): string => `conversations-${tab}`

/** Shows the tabs with the number of conversations in each. The arrow keys move the focus, and Enter opens a tab. */
export function TabList({ tab, onChoose }: { tab: TabId; onChoose: (tab: TabId) => void }) {
  const { data: counts } = useQuery(countsQuery)
  const list = useRef<HTMLDivElement>(null)
  const hasCounts = counts !== undefined
  // On a narrow screen, the tabs scroll. Their counts make them wider.
  useEffect(() => {
    const [strip, chosen] = [list.current, document.getElementById(tabElementId(tab))]
    if (!strip || !chosen) return
    const beyond = chosen.offsetLeft + chosen.offsetWidth - strip.clientWidth
    if (chosen.offsetLeft < strip.scrollLeft || beyond > strip.scrollLeft)
      strip.scrollLeft = Math.max(0, beyond)
  }, [tab, hasCounts])

  function handleKeyDown(event: KeyboardEvent) {
    const tabs = [...(list.current?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])]
    const here = tabs.indexOf(document.activeElement as HTMLElement)
    const target = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (target === undefined) return
    event.preventDefault()
    tabs[(target + tabs.length) % tabs.length]?.focus()
  }

  return (
    <div ref={list} className="tabs" role="tablist" aria-label="Conversations" onKeyDown={handleKeyDown}>
      {TABS.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={tabElementId(id)}
          aria-selected={id === tab}
          aria-controls={TAB_PANEL_ID}
          tabIndex={id === tab ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {/* A node of the release before does not count spam. */}
          {label} <span className="tab-count">{counts?.[id]?.toLocaleString('en')}</span>
        </button>
      ))}
    </div>
  )
}
