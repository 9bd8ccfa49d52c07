import { Search } from 'virtual:icons'
import { SEARCH_QUERY_MAX } from '@proctorpass/shared/limits'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { typedSearch } from './search-query.ts'
import { takeTypedAhead, useCommands } from './shortcuts.ts'
import './search-field.css'

interface SearchFieldProps {
  /** The words that are searched for. Others replace what the field has. */
  query?: string
  /** The present filters, which a search keeps. */
  filters?: URLSearchParams
  /** Whether the field gets the focus at first. */
  focused?: boolean
}

/** A field that leads to the search page. `/` focuses it. */
export function SearchField({ query = '', filters, focused = false }: SearchFieldProps) {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (!focused || input.current === null) return
    input.current.focus()
    input.current.value += takeTypedAhead()
  }, [focused])
  useEffect(() => {
    if (input.current !== null) input.current.value = query
  }, [query])
  useCommands([
    {
      label: 'Search conversations',
      icon: Search,
      keys: '/',
      run() {
        input.current?.focus()
        input.current?.select()
      },
    },
  ])

  return (
    <search aria-label="Search conversations">
      <form
        className="search-field"
        onSubmit={(event) => {
          event.preventDefault()
          const typed = typedSearch(input.current?.value ?? '', filters)
          if (typed.size === 0) {
            input.current?.focus()
            return
          }
          // A typed filter becomes a chip, which leaves only words here.
          if (input.current !== null) input.current.value = typed.get('q') ?? ''
          navigate(`/dashboard/search?${typed}`)
        }}
      >
        <input
          ref={input}
          type="search"
          className="input"
          name="q"
          aria-label="Search conversations"
          aria-keyshortcuts="/"
          placeholder="Search"
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          maxLength={SEARCH_QUERY_MAX}
          defaultValue={query}
        />
        <button type="submit" className="icon-button" aria-label="Search">
          <Icon of={Search} />
        </button>
        <span className="key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}
