import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { Stars } from './review-card.tsx'

describe('Stars', () => {
  it.each([
    [0, '0 out of 5', 0],
    [1, '1 out of 5', 1],
    [2.3, '2.3 out of 5', 2],
    [3.5, '3.5 out of 5', 4],
    [4.7, '4.7 out of 5', 5],
    [4.999, '4.999 out of 5', 5],
    [5, '5 out of 5', 5],
  ])('shows %s as %s', (star, text, inked) => {
    const { container } = render(<Stars star={star} />)
    expect(screen.getByRole('img', { name: text })).toBeDefined()
    expect(container.querySelectorAll('svg')).toHaveLength(5)
    expect(container.querySelectorAll('.stars-ink')).toHaveLength(inked)
  })
})
