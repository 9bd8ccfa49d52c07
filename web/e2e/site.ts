import { expect, type Page } from '@playwright/test'
import type { Product } from './product.ts'
import { storeItems } from './stored-items.ts'
import { test as base } from './test.ts'

/** A sample post that is not the first of any list page. */
export const POST = '/blog/a-quiet-room-in-a-loud-house'

export const ARTICLES = [
  '/blog/title-of-the-blog',
  '/blog/can-you-cheat-on-proctoru-understanding-the-proctoru-experience-your-questions-answered',
  '/blog/how-to-cheat-on-proctoru',
  '/blog/can-proctoru-detect-phones',
  '/blog/can-proctoru-see-my-screen',
]
export const ARTICLE = '/blog/can-proctoru-detect-phones'

/** One page of each indexable kind. */
export const PAGES = ['/', '/blogs', POST, ARTICLE, '/reviews', '/contact', '/faq', '/privacy', '/terms']

export const NAVIGATION = ['Home', 'Blog', 'Contact', 'Reviews', 'FAQ']

interface SiteFixtures {
  /** The chat opens by itself. */
  isFirstVisit: boolean
  /** All console messages and uncaught exceptions of `page`. */
  complaints: string[]
}

interface SharedFixtures {
  /** A server with samples, shared by a worker's tests, which must not change them. */
  site: Product
}

/** `page` has the chat closed, except on a first visit; paths are relative to the site. */
export const test = base.extend<SiteFixtures, SharedFixtures>({
  site: [
    async ({ sharedProduct }, use) => use(await sharedProduct({ SEED_DEMO: 'true' })),
    { scope: 'worker' },
  ],
  baseURL: async ({ site }, use) => use(site.origin),
  isFirstVisit: [false, { option: true }],
  context: async ({ context, site, isFirstVisit }, use) => {
    if (!isFirstVisit) await storeItems(context, site.origin, { liveChat: 'false' })
    await use(context)
  },
  complaints: async ({ page }, use) => {
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await use(complaints)
  },
})

/** Opens a page and waits until it is hydrated: the chat's button is rendered last. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('button', { name: /^Live chat/ })).toBeVisible()
}

export { expect }
