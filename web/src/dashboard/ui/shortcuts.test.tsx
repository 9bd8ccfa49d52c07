import { fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useLayoutEffect } from 'react'
import { beforeEach, expect, test } from 'vitest'
import {
  availableCommands,
  type PageCommand,
  setShortcutsOff,
  useCommands,
  useShortcuts,
} from './shortcuts.ts'

let ran: string[] = []
const command = (label: string, keys?: string): PageCommand => ({
  label,
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
