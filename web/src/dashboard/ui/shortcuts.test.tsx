import { fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useLayoutEffect } from 'react'
import { beforeEach, expect, test } from 'vitest'
import {
  ariaKeys,
  availableCommands,
  awaitField,
  keysLabel,
  type PageCommand,
  setShortcutsOff,
  takeTypedAhead,
  useCommands,
  useShortcuts,
} from './shortcuts.ts'

let ran: string[] = []
const command = (label: string, keys?: string): PageCommand => ({
  label,
  icon: '',
  ...(keys !== undefined && { keys }),
  run: () => ran.push(label),
})

function Frame({ page }: { page: boolean }) {
  useCommands([command('Search', '/'), command('Commands', 'mod+k'), command('Keys', '?')], 'frame')
  useShortcuts()
  return page ? <Page /> : null
}

function Page() {
  useCommands([command('Resolve', 'e'), { ...command('Search', '/'), run: () => ran.push('Search here') }])
  return (
    <>
      <textarea aria-label="Text" />
      <input type="checkbox" aria-label="Box" />
    </>
  )
}

beforeEach(() => {
  ran = []
  localStorage.clear()
})

test('a key runs the command of the page, else of the frame', async () => {
  const { rerender } = render(<Frame page />)
  await userEvent.keyboard('e/?')
  await userEvent.keyboard('{Control>}k{/Control}')
  expect(ran).toEqual(['Resolve', 'Search here', 'Keys', 'Commands'])
  expect(availableCommands().map(({ label }) => label)).toEqual(['Resolve', 'Search', 'Commands', 'Keys'])
  rerender(<Frame page={false} />)
  await userEvent.keyboard('e/')
  expect(ran.slice(4)).toEqual(['Search'])
})

test('a command can be run as soon as its button is in the document', () => {
  function PageWithKey() {
    useCommands([command('Resolve', 'e')])
    useLayoutEffect(() => {
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'e' }))
    }, [])
    return null
  }
  render(<Frame page={false} />)
  render(<PageWithKey />)
  expect(ran).toEqual(['Resolve'])
})

test('in a field, with other keys held, on repetition and in a dialog a key is no command', async () => {
  render(<Frame page />)
  await userEvent.click(screen.getByLabelText('Text'))
  await userEvent.keyboard('e/?')
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.click(screen.getByLabelText('Box'))
  for (const more of [{ shiftKey: true }, { altKey: true }, { ctrlKey: true }, { repeat: true }]) {
    fireEvent.keyDown(document.body, { key: 'e', ...more })
  }
  const dialog = document.createElement('dialog')
  dialog.open = true
  document.body.append(dialog)
  fireEvent.keyDown(document.body, { key: 'e' })
  dialog.remove()
  expect(ran).toEqual([])
  fireEvent.keyDown(screen.getByLabelText('Box'), { key: 'e' })
  expect(ran).toEqual(['Resolve'])
})

test('a letter of another alphabet stands for the Latin one of its key', () => {
  render(<Frame page />)
  fireEvent.keyDown(document.body, { key: 'у', code: 'KeyE' })
  expect(ran).toEqual(['Resolve'])
})

test('single keys can be turned off, and the command menu stays', async () => {
  render(<Frame page />)
  setShortcutsOff(true)
  await userEvent.keyboard('e?')
  await userEvent.keyboard('{Meta>}k{/Meta}')
  expect(ran).toEqual(['Commands'])
})

test('keys of a command for fields work while typing, once, and not in a dialog', () => {
  function PageWithFields() {
    useCommands([
      { ...command('Menu', 'mod+k'), inFields: true },
      { ...command('Next', 'alt+j'), inFields: true },
    ])
    return <textarea aria-label="Text" />
  }
  render(<Frame page={false} />)
  render(<PageWithFields />)
  const box = screen.getByLabelText('Text')
  fireEvent.keyDown(box, { key: 'k', code: 'KeyK', ctrlKey: true })
  fireEvent.keyDown(box, { key: '∆', code: 'KeyJ', altKey: true })
  fireEvent.keyDown(box, { key: '∆', code: 'KeyJ', altKey: true, repeat: true })
  const dialog = document.createElement('dialog')
  dialog.open = true
  document.body.append(dialog)
  fireEvent.keyDown(document.body, { key: '∆', code: 'KeyJ', altKey: true })
  dialog.remove()
  expect(ran).toEqual(['Menu', 'Next'])
  expect([keysLabel('alt+j'), ariaKeys('alt+j'), keysLabel('mod+k')]).toEqual(['Alt J', 'Alt+J', 'Ctrl K'])
})

test('keys typed before an awaited field is there are text for it', async () => {
  render(<Frame page />)
  awaitField()
  await userEvent.keyboard('Edey{Backspace} n?{Enter}')
  expect(ran).toEqual([])
  expect(takeTypedAhead()).toBe('Ede n?')
  await userEvent.keyboard('e')
  expect(ran).toEqual(['Resolve'])
  awaitField()
  await userEvent.keyboard('x{Escape}e')
  expect(ran).toEqual(['Resolve', 'Resolve'])
  expect(takeTypedAhead()).toBe('')
})
