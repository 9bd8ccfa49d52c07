import { fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { useListbox } from './use-listbox.ts'

const FRUITS = ['apple', 'apricot', 'banana', 'cherry']
const onChoose = vi.fn()
const onEscape = vi.fn()
const onOuterKey = vi.fn()

function Fruits({ tabChooses = false }: { tabChooses?: boolean }) {
  const [query, setQuery] = useState('')
  const items = FRUITS.filter((fruit) => fruit.includes(query))
  const listbox = useListbox({ items, keyOf: (fruit) => fruit, query, onChoose, onEscape, tabChooses })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: stands for a dialog around the list
    <div onKeyDown={({ key }) => onOuterKey(key)}>
      <input
        aria-label="Fruit"
        aria-activedescendant={listbox.activeId}
        aria-controls={listbox.id}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={listbox.handleKeyDown}
      />
      <div id={listbox.id} role="listbox" tabIndex={-1}>
        {items.map((fruit) => (
          <div key={fruit} {...listbox.option(fruit)}>
            {fruit}
          </div>
        ))}
      </div>
    </div>
  )
}

const field = () => screen.getByLabelText('Fruit')
/** The option that screen readers announce, which is also the one that the list marks. */
function active(): string | undefined {
  const marked = screen.queryByRole('option', { selected: true })
  expect(marked?.id).toBe(field().getAttribute('aria-activedescendant') ?? undefined)
  return marked?.textContent ?? undefined
}

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn()
  vi.clearAllMocks()
})

test('arrows lead past the ends, Page Up and Page Down to them, and Enter chooses', async () => {
  render(<Fruits />)
  await userEvent.click(field())
  expect(active()).toBe('apple')
  await userEvent.keyboard('{ArrowUp}')
  expect(active()).toBe('cherry')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(active()).toBe('apricot')
  await userEvent.keyboard('{PageDown}')
  expect(active()).toBe('cherry')
  await userEvent.keyboard('{PageUp}{Enter}')
  expect(onChoose.mock.calls).toEqual([['apple']])
  expect(Element.prototype.scrollIntoView).toHaveBeenCalled()
})

test('another query begins with its first item, and one that finds nothing leaves the keys to the field', async () => {
  render(<Fruits />)
  await userEvent.type(field(), '{PageDown}an')
  expect(active()).toBe('banana')
  await userEvent.clear(field())
  expect(active()).toBe('apple')
  await userEvent.type(field(), 'zzz{Enter}')
  expect(active()).toBeUndefined()
  expect(onChoose).not.toHaveBeenCalled()
})

test('keys with a modifier, and those of an input method, stay the field’s', async () => {
  render(<Fruits />)
  await userEvent.click(field())
  await userEvent.keyboard('{Shift>}{ArrowDown}{Enter}{/Shift}{Control>}{ArrowDown}{/Control}')
  fireEvent.keyDown(field(), { key: 'Enter', isComposing: true })
  fireEvent.keyDown(field(), { key: 'Enter', keyCode: 229 })
  expect(active()).toBe('apple')
  expect(onChoose).not.toHaveBeenCalled()
})

test('Escape ends only the list, and Tab chooses only where it should', async () => {
  const { unmount } = render(<Fruits />)
  await userEvent.click(field())
  await userEvent.keyboard('{Escape}')
  expect(onEscape).toHaveBeenCalledTimes(1)
  expect(onOuterKey).not.toHaveBeenCalled()
  await userEvent.tab()
  expect(onChoose).not.toHaveBeenCalled()
  unmount()

  render(<Fruits tabChooses />)
  await userEvent.click(field())
  await userEvent.tab()
  expect(onChoose.mock.calls).toEqual([['apple']])
  expect(document.activeElement).toBe(field())
})

test('a click chooses, and the field keeps the focus', async () => {
  render(<Fruits />)
  await userEvent.click(field())
  await userEvent.click(screen.getByRole('option', { name: 'banana' }))
  expect(onChoose.mock.calls).toEqual([['banana']])
  expect(fireEvent.pointerDown(screen.getByRole('option', { name: 'banana' }))).toBe(false)
})
