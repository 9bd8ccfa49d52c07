import type { Page } from '@playwright/test'
import { expect, test } from './test.ts'

interface Case {
  title: string
  /** Asks for the chunk. */
  open: (page: Page, origin: string) => Promise<unknown>
  path: string
  chunk: string
  /** Documents of `path` before the reload. */
  documents: number
  heading: string
}

const CASES: Case[] = [
  {
    title: 'the dashboard',
    open: (page, origin) => page.goto(`${origin}/dashboard`),
    path: '/dashboard',
    chunk: '**/assets/admin-area-*.js',
    documents: 1,
    heading: 'Admin area Sign in to ProctorPass',
  },
  {
    title: 'a page reached by a link',
    async open(page, origin) {
      await page.goto(`${origin}/contact`)
      await expect(page.getByRole('button', { name: /^Live chat/ })).toBeVisible()
      await page.getByRole('banner').getByRole('link', { name: 'FAQ' }).click()
    },
    path: '/faq',
    chunk: '**/assets/faq-*.js',
    documents: 0,
    heading: 'Questions and answers',
  },
]

test.beforeEach(({ page }) => page.addInitScript(() => localStorage.setItem('liveChat', 'false')))

// After an update the server no longer has the chunks of the pages that are open.
for (const { title, open, path, chunk, documents, heading } of CASES) {
  test(`a missing chunk of ${title} reloads the page once`, async ({ page, product }) => {
    const loaded = countDocuments(page, path)
    await page.route(chunk, (route) =>
      loaded() > documents ? route.continue() : route.fulfill({ status: 404 }),
    )
    await open(page, product.origin)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    expect(loaded()).toBe(documents + 1)
  })

  test(`a chunk of ${title} that stays missing says what to do`, async ({ page, product }) => {
    const loaded = countDocuments(page, path)
    // As served, the page of the link needs no chunk to be read: its second visit is by the link again.
    await page.route(chunk, (route) => route.fulfill({ status: 404 }))
    await open(page, product.origin)
    if (documents === 0) {
      await expect.poll(loaded).toBe(1)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
      await open(page, product.origin)
    }
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page could not be loaded')
    await expect(page.getByText('Check your connection')).toBeVisible()
    expect(loaded()).toBe(documents + 1)

    await page.unroute(chunk)
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
  })
}

/** The number of times that the page at `path` was loaded as a document. */
function countDocuments(page: Page, path: string): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest() && new URL(request.url()).pathname === path) count++
  })
  return () => count
}
