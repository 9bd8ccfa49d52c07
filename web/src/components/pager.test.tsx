import { render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { describe, expect, it } from 'vitest'
import { Pager } from './pager.tsx'

function pager(page: number, count: number) {
  render(
    <MemoryRouter>
      <Pager label="Blog pages" path="/blogs" page={page} count={count} perPage={15} />
    </MemoryRouter>,
  )
}

const links = () => screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])

describe('Pager', () => {
  it('rounds the number of pages up', () => {
    pager(1, 31)
    expect(screen.getByText('Page 1 of 3')).toBeDefined()
    expect(links()).toEqual([
      ['1', '/blogs'],
      ['2', '/blogs?page=2'],
      ['3', '/blogs?page=3'],
      ['Next', '/blogs?page=2'],
    ])
  })

  it('has no empty last page', () => {
    pager(1, 30)
    expect(screen.getByText('Page 1 of 2')).toBeDefined()
  })

  it('marks the current page, and links to the first without a query', () => {
    pager(2, 31)
    const nav = screen.getByRole('navigation', { name: 'Blog pages' })
    expect(within(nav).getByRole('link', { name: 'Page 2' }).getAttribute('aria-current')).toBe('page')
    expect(nav.querySelectorAll('[aria-current]')).toHaveLength(1)
    expect(screen.getByRole('link', { name: 'Previous' }).getAttribute('href')).toBe('/blogs')
    expect(screen.getByRole('link', { name: 'Next' }).getAttribute('href')).toBe('/blogs?page=3')
  })

  it('shows the ends and the neighbors in a long list', () => {
    pager(10, 300)
    expect(links().map(([text]) => text)).toEqual(['Previous', '1', '9', '10', '11', '20', 'Next'])
  })

  it('is absent when one page contains everything', () => {
    pager(1, 15)
    expect(screen.queryByRole('navigation')).toBeNull()
  })
})
