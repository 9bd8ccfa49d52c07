import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Stars } from './stars.tsx'

describe('Stars', () => {
  it.each([
    [0, '0 of 5', 0],
    [1, '1 of 5', 1],
    [3.4, '3 of 5', 3],
    [3.5, '3.5 of 5', 4],
    [4.9, '4.5 of 5', 5],
    [5, '5 of 5', 5],
    [9, '5 of 5', 5],
    [-1, '0 of 5', 0],
  ])('shows %s as %s', (star, text, inked) => {
    const { container } = render(<Stars star={star} />)
    expect(screen.getByRole('img', { name: text })).toBeDefined()
    expect(container.querySelectorAll('svg')).toHaveLength(5)
    expect(container.querySelectorAll('.stars-ink')).toHaveLength(inked)
  })
})
