import { AppError, changedMeanwhile, fieldErrors } from '@proctorpass/shared/errors'
import { fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { readStorage } from '../../lib/browser-storage.ts'
import { DraftNote, required, TextField } from './admin-form.tsx'
import { Conflict } from './conflict.tsx'
import { SubmitButton } from './submit-button.tsx'
import { type AdminFormOptions, refusal, useAdminForm } from './use-admin-form.ts'

const toasts = vi.hoisted(() => ({ success: vi.fn(), error: vi.fn() }))
vi.mock('../../components/toast.ts', () => ({ toast: toasts }))

interface Values {
  name: string
  code: string
}
interface Stored extends Values {
  version: number
}
type Options = Partial<AdminFormOptions<Values, Stored>>

const OTHER: Stored = { name: 'Theirs', code: '2', version: 2 }

function TestForm(options: Options) {
  const form = useAdminForm<Values, Stored>({
    defaultValues: { name: '', code: '' },
    send: async () => 'Saved',
    ...options,
  })
  return (
    <form {...form.props}>
      <DraftNote form={form} />
      <TextField form={form} name="name" label="Name" rule={required('Name is required')} />
      <details>
        <TextField form={form} name="code" label="Code" autoComplete="one-time-code" />
      </details>
      {form.conflict && (
        <Conflict what="this" {...form.conflict}>
          {form.conflict.other.name}
        </Conflict>
      )}
      {form.asked && (
        <button type="button" onClick={form.asked.onConfirm}>
          Confirm
        </button>
      )}
      <SubmitButton busy={form.busy}>Save</SubmitButton>
    </form>
  )
}

function show(options: Options = {}) {
  return render(<TestForm {...options} />)
}

const box = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const refusing = (error: unknown) =>
  vi.fn<AdminFormOptions<Values, Stored>['send']>().mockRejectedValue(error)

beforeEach(() => {
  Element.prototype.scrollIntoView = () => {}
  localStorage.clear()
  vi.clearAllMocks()
})

test('a wrong field has its error and the focus, and nothing is sent', async () => {
  const send = refusing(null)
  show({ send })
  await press('Save')
  await vi.waitFor(() => expect(document.activeElement).toBe(box('Name')))
  expect(box('Name').getAttribute('aria-invalid')).toBe('true')
  expect(screen.getByText('Name is required')).toBeTruthy()
  expect(send).not.toHaveBeenCalled()
  expect(toasts.error).not.toHaveBeenCalled()
})

test('a success is a toast', async () => {
  const send = vi.fn(async () => 'Saved')
  show({ send })
  await userEvent.type(box('Name'), 'Ada{Enter}')
  await vi.waitFor(() => expect(toasts.success).toHaveBeenCalledWith('Saved'))
  expect(send).toHaveBeenCalledWith({ name: 'Ada', code: '' }, 0)
})

test('refusals stand beside their fields, the first one on the screen has the focus, and a toast says one', async () => {
  show({
    send: refusing(
      fieldErrors([
        { field: 'proof', message: 'Wrong code' },
        { field: 'name/0', message: 'Too long' },
        { field: 'name/1', message: 'Taken' },
        { field: 'elsewhere', message: 'Unknown' },
      ]),
    ),
    fieldOf: (name) => (name === 'proof' ? 'code' : (name.split('/')[0] ?? '')),
  })
  await userEvent.type(box('Name'), 'Ada{Enter}')
  await vi.waitFor(() => expect(screen.getByText('Too long. Taken')).toBeTruthy())
  expect(screen.getByText('Wrong code')).toBeTruthy()
  expect(document.activeElement).toBe(box('Name'))
  expect(toasts.error.mock.calls).toEqual([['Wrong code']])
})

test('a refused code is selected, to be typed again', async () => {
  show({ send: refusing(refusal('code', 'Wrong code')) })
  await userEvent.type(box('Name'), 'Ada')
  await userEvent.type(box('Code'), '123456{Enter}')
  await vi.waitFor(() => expect(box('Code').getAttribute('aria-invalid')).toBe('true'))
  expect([box('Code').selectionStart, box('Code').selectionEnd]).toEqual([0, 6])
})

test('a failure that no field has is a toast, and can be sent again', async () => {
  const send = refusing(new AppError('unavailable', 'No connection'))
  show({ send })
  await userEvent.type(box('Name'), 'Ada{Enter}')
  await vi.waitFor(() => expect(toasts.error).toHaveBeenCalledWith('No connection'))
  expect(box('Name').getAttribute('aria-invalid')).toBe('false')
  await press('Save')
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(2))
})

test('it is sent once at a time, and the button keeps the focus', async () => {
  let answer = (_: string) => {}
  const send = vi.fn(() => new Promise<string>((resolve) => (answer = resolve)))
  show({ send })
  await userEvent.type(box('Name'), 'Ada')
  await press('Save')
  const button = screen.getByRole('button', { name: 'Save' })
  await vi.waitFor(() => expect(button.closest('form')?.getAttribute('aria-busy')).toBe('true'))
  await press('Save')
  expect(document.activeElement).toBe(button)
  await userEvent.type(box('Name'), '{Enter}')
  fireEvent.submit(box('Name'))
  answer('Saved')
  await vi.waitFor(() => expect(button.closest('form')?.getAttribute('aria-busy')).toBe('false'))
  expect(send).toHaveBeenCalledTimes(1)
})

test('rules of the form as a whole stand beside their fields, and follow the typing', async () => {
  const send = vi.fn(async () => undefined)
  show({
    send,
    problems: ({ name, code }) => (code === name ? [{ field: 'code', message: 'The same' }] : []),
  })
  await press('Save')
  await vi.waitFor(() => expect(document.activeElement).toBe(box('Code')))
  expect(box('Code').closest('details')?.open).toBe(true)
  expect(send).not.toHaveBeenCalled()
  await userEvent.type(box('Code'), '1')
  await vi.waitFor(() => expect(screen.queryByText('The same')).toBeNull())
})

test('what another admin saved can be replaced, or taken', async () => {
  const send = refusing(changedMeanwhile('this'))
  const read = vi.fn(async () => OTHER)
  const valuesOf = ({ name, code }: Stored) => ({ name, code })
  show({ defaultValues: { name: 'Mine', code: '' }, send, stored: { version: 1, read, valuesOf } })
  await press('Save')
  await vi.waitFor(() => expect(document.activeElement?.textContent).toContain('Theirs'))
  expect(send).toHaveBeenLastCalledWith({ name: 'Mine', code: '' }, 1)
  await press('Keep mine')
  await press('Save')
  await vi.waitFor(() => expect(send).toHaveBeenLastCalledWith({ name: 'Mine', code: '' }, 2))
  await press('Use saved version')
  expect([box('Name').value, box('Code').value]).toEqual(['Theirs', '2'])
})

test('a newer version is shown where nothing is unsaved', () => {
  const stored = { version: 1, read: async () => null, valuesOf: (values: Stored) => values }
  const { rerender } = render(<TestForm defaultValues={{ name: 'Old', code: '' }} stored={stored} />)
  rerender(<TestForm defaultValues={{ name: 'New', code: '' }} stored={{ ...stored, version: 2 }} />)
  expect(box('Name').value).toBe('New')
})

test('unsaved values survive, can be discarded, and end with a success', async () => {
  const options = { draftKey: 'draft:test' }
  const { unmount } = show(options)
  await userEvent.type(box('Name'), 'Ada')
  unmount()
  expect(JSON.parse(readStorage('draft:test') ?? '')).toEqual({ name: 'Ada', code: '', version: 0 })

  const second = show(options)
  expect(box('Name').value).toBe('Ada')
  await press('Discard them')
  expect(box('Name').value).toBe('')
  await userEvent.type(box('Name'), 'Bob{Enter}')
  await vi.waitFor(() => expect(toasts.success).toHaveBeenCalled())
  second.unmount()
  expect(readStorage('draft:test')).toBeNull()
})

test('an admin is asked first where the form wants it', async () => {
  const send = vi.fn(async () => 'Saved')
  show({ send, asksFirst: ({ name }) => name === 'Ada' })
  await userEvent.type(box('Name'), 'Ada{Enter}')
  await screen.findByRole('button', { name: 'Confirm' })
  expect(send).not.toHaveBeenCalled()
  await press('Confirm')
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(1))
  expect(screen.queryByRole('button', { name: 'Confirm' })).toBeNull()
})
