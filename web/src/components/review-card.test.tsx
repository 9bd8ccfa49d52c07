import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ReviewCard, Stars } from './review-card.tsx'

describe('ReviewCard', () => {
  it("shows the name's first letter, but not to screen readers", () => {
    const review = { _id: '1', name: '😀 Émile', time: 'May 2026', star: 5, review: 'Calm.' }
    render(<ReviewCard review={review} />)
    const initial = screen.getByText('😀')
    expect(initial.getAttribute('aria-hidden')).toBe('true')
    expect(screen.getByText('😀 Émile')).toBeDefined()
  })
})

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
