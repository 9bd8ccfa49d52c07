import type { TextKind } from '@proctorpass/shared/text-keys'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { TextField } from './text-fields.tsx'

type Fields = Record<string, unknown>

/** Shows fields, and tells each change. */
function show(kind: TextKind, fields: Fields, errors: Record<string, string> = {}) {
  const changed = vi.fn<(fields: Fields) => void>()
  function Form() {
    const [now, setNow] = useState(fields)
    const form = {
      ...{ kind, lang: 'en', fields: now, start: { html: '', number: 0 }, areImagesRefused: false },
      set(name: string, value: unknown) {
        const next = { ...now, [name]: value }
        setNow(next)
        changed(next)
      },
      errorOf: (path: string) => errors[path],
      setImages() {},
      setUploading() {},
    }
    return Object.keys(fields).map((name) => <TextField key={name} form={form} name={name} />)
  }
  render(<Form />)
  return changed
}

/** Returns a field's hint and error. */
function described(field: HTMLElement): string {
  const ids = field.getAttribute('aria-describedby')?.split(' ') ?? []
  return ids.map((id) => document.getElementById(id)?.textContent?.trim()).join(' ')
}

const box = (label: string) => screen.getByLabelText<HTMLInputElement>(label)

const last = (changed: ReturnType<typeof show>) => changed.mock.lastCall?.[0]

test('a line has its limit, and counts code points', () => {
  const changed = show('article', { author: 'Ada' })
  const author = box('Author')
  expect(described(author)).toBe('3 of 80 characters')
  fireEvent.change(author, { target: { value: '🦒🦒' } })
  expect(described(author)).toBe('2 of 80 characters')
  expect(last(changed)).toEqual({ author: '🦒🦒' })
})

test('a list of lines is one field, which shows the error of any line', () => {
  const changed = show(
    'home',
    { heading: ['Go in', 'prepared.'] },
    { 'heading/1': 'Use 600 characters or fewer' },
  )
  const headline = box('Headline')
  expect(headline.value).toBe('Go in\nprepared.')
  expect(headline.getAttribute('aria-invalid')).toBe('true')
  fireEvent.change(headline, { target: { value: 'One\nTwo\nThree' } })
  expect(last(changed)).toEqual({ heading: ['One', 'Two', 'Three'] })
})

test('entries are added, changed, moved, and removed', async () => {
  const user = userEvent.setup()
  const steps = ['A', 'B'].map((title) => ({ title, text: title.toLowerCase() }))
  const changed = show('home', { steps }, { 'steps/1/text': 'This field is required' })
  expect(described(box('Step 2, text'))).toMatch(/This field is required/)
  expect(screen.getByRole('button', { name: 'Move up: Step 1' }).ariaDisabled).toBe('true')

  await user.click(screen.getByRole('button', { name: 'Move down: Step 1' }))
  expect(last(changed)).toEqual({ steps: [steps[1], steps[0]] })

  await user.click(screen.getByRole('button', { name: 'Add step' }))
  expect(document.activeElement).toBe(box('Step 3'))
  await user.keyboard('C')
  expect(last(changed)).toEqual({ steps: [steps[1], steps[0], { title: 'C', text: '' }] })

  await user.click(screen.getByRole('button', { name: 'Remove: Step 1' }))
  expect(last(changed)).toEqual({ steps: [steps[0], { title: 'C', text: '' }] })
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add step' }))
})

test('a full list takes no more entries', () => {
  show('home', { prices: Array.from({ length: 8 }, () => ({ figure: '$1', text: 'each' })) })
  expect(screen.queryByRole('button', { name: 'Add price' })).toBeNull()
  screen.getByText('You have 8, the maximum. Remove one to add another.')
})

test("a conversation's messages say who writes", async () => {
  const user = userEvent.setup()
  const exchange = { caption: 'Example', visitor: 'A visitor', messages: [{ isFromTeam: false, text: 'Hi' }] }
  const changed = show('home', { exchange })
  await user.selectOptions(box('Message 1, from'), 'Team')
  expect(last(changed)).toEqual({ exchange: { ...exchange, messages: [{ isFromTeam: true, text: 'Hi' }] } })
})

test('a new group has an anchor of its own', async () => {
  const changed = show('faq', { groups: [{ id: 'payment', title: 'Payment' }] })
  await userEvent.click(screen.getByRole('button', { name: 'Add group' }))
  const group = screen.getByRole('group', { name: 'Group 2' })
  expect(within(group).getAllByRole('textbox')).toHaveLength(1)
  expect(last(changed)).toEqual({
    groups: [
      { id: 'payment', title: 'Payment' },
      { id: expect.stringMatching(/^[a-z0-9-]{4,}$/), title: '' },
    ],
  })
})
