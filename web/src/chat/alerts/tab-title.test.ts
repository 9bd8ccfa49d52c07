// @vitest-environment jsdom

import { afterEach, beforeEach, expect, it } from 'vitest'
import { setTitleBadge } from './tab-title.ts'

beforeEach(() => {
  document.title = 'Home'
})
afterEach(() => setTitleBadge(0))

const observed = () => new Promise((resolve) => setTimeout(resolve))

it('adds the count to the title and removes it', () => {
  setTitleBadge(2)
  expect(document.title).toBe('(2) Home')
  setTitleBadge(3)
  expect(document.title).toBe('(3) Home')
  setTitleBadge(0)
  expect(document.title).toBe('Home')
})

it('keeps the count when a navigation changes the title', async () => {
  setTitleBadge(2)
  document.title = 'Blog'
  await observed()
  expect(document.title).toBe('(2) Blog')
  setTitleBadge(0)
  document.title = 'FAQ'
  await observed()
  expect(document.title).toBe('FAQ')
})
