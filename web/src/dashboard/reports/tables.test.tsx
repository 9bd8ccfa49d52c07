import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { AdminTable } from './tables.tsx'

afterEach(cleanup)

it('shows admins with the same name, and takes away those that answered nothing', () => {
  const none = { n: 0, median: null, p90: null }
  const admins = ['1', '2'].map((userId, messagesOut) => ({
    ...{ userId, name: 'Support', messagesOut, firstWait: none, wait: none },
  }))
  const { rerender } = render(<AdminTable admins={admins} />)
  expect(screen.getAllByRole('row')).toHaveLength(1 + 2)
  rerender(<AdminTable admins={[]} />)
  expect(screen.getAllByRole('row')).toHaveLength(1)
})
