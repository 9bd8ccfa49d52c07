import { type KeyboardEvent, useEffect, useId, useState } from 'react'

interface ListboxOptions<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** The items are the answer to this query. Another query begins with its best match, the first item. */
  query: string | null
  onChoose: (item: Item) => void
  onEscape?: () => void
  /** Whether Tab chooses an item too. */
  tabChooses?: boolean
}

export type Listbox<Item> = ReturnType<typeof useListbox<Item>>

/**
 * Lets a field choose one item in a list without losing the focus. The arrow keys wrap around at both ends, Page Up and
 * Page Down move to the ends, and Enter chooses. Home and End stay the field's.
 */
export function useListbox<Item>(options: ListboxOptions<Item>) {
  const { items, keyOf, query, onChoose, onEscape, tabChooses = false } = options
  const id = useId()
  const [place, setPlace] = useState({ query, index: 0 })
  if (place.query !== query) setPlace({ query, index: 0 })
  const index = place.query === query ? Math.min(place.index, items.length - 1) : 0
  const active = items[index]
  const idOf = (item: Item) => `${id}-${keyOf(item)}`
  const activeId = active === undefined ? undefined : idOf(active)
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  /** Returns whether the list took the key. */
  function handleKeyDown(event: KeyboardEvent): boolean {
    if (isComposing(event)) return false
    if (event.key === 'Escape' && onEscape) {
      event.preventDefault()
      // A dialog or a menu around the list stays open.
      event.stopPropagation()
      onEscape()
      return true
    }
    if (active === undefined || hasModifier(event)) return false
    const next = {
      ArrowDown: (index + 1) % items.length,
      ArrowUp: (index + items.length - 1) % items.length,
      PageDown: items.length - 1,
      PageUp: 0,
    }[event.key]
    if (next !== undefined) setPlace({ query, index: next })
    else if (event.key === 'Enter' || (tabChooses && event.key === 'Tab')) onChoose(active)
    else return false
    event.preventDefault()
    return true
  }

  return {
    id,
    active,
    activeId,
    handleKeyDown,
    /** The attributes for a field whose only text is the query. */
    combobox: {
      type: 'text',
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': items.length > 0,
      'aria-controls': id,
      'aria-activedescendant': activeId,
      autoComplete: 'off',
      autoCapitalize: 'off',
      spellCheck: false,
    } as const,
    /** Returns the attributes for an item's element. */
    option: (item: Item) => ({
      id: idOf(item),
      role: 'option',
      'aria-selected': item === active,
      tabIndex: -1,
      // The field keeps the focus, so the on-screen keyboard stays open.
      onPointerDown: (event: { preventDefault: () => void }) => event.preventDefault(),
      onClick: () => onChoose(item),
    }),
  }
}

/** Returns whether the key belongs to an input method, which composes a character. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229
}

export function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey
}
