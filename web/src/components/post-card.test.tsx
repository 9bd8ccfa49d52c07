import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { PostDate } from './post-card.tsx'

it('is the day in UTC, as American English writes it', () => {
  render(<PostDate iso="2026-09-05T23:30:00.000Z" />)
  expect(screen.getByRole('time').textContent).toBe('Sep 5, 2026')
})
