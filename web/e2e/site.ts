import { test as base, expect, type Page } from '@playwright/test'
import { Product } from './product.ts'

/** A sample post that no page of a list begins with. */
export const POST = '/blog/a-quiet-room-in-a-loud-house'

export const ARTICLES = [
  '/blog/title-of-the-blog',
  '/blog/can-you-cheat-on-proctoru-understanding-the-proctoru-experience-your-questions-answered',
  '/blog/how-to-cheat-on-proctoru',
  '/blog/can-proctoru-detect-phones',
  '/blog/can-proctoru-see-my-screen',
]
export const ARTICLE = '/blog/can-proctoru-detect-phones'

/** One page of each kind that search engines may show. */
export const PAGES = ['/', '/blogs', POST, ARTICLE, '/reviews', '/contact', '/faq']

export const NAVIGATION = ['Home', 'Blog', 'Contact', 'Reviews', 'FAQ']

interface SiteFixtures {
  /** Everything that the console of `page` was told, and uncaught exceptions. */
  complaints: string[]
}

interface SharedFixtures {
  /** A server with sample posts and reviews, one for all tests of a worker: they leave its posts and reviews alone. */
  site: Product
}

/** `page` is a reader's who has closed the chat before; paths are the site's. */
export const test = base.extend<SiteFixtures, SharedFixtures>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it that nothing else is needed
    async ({}, use) => {
      const site = await Product.start({ SEED_DEMO: 'true', RATE_LIMITS: 'off' })
      await use(site)
      await site.dispose()
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ site }, use) => use(site.origin),
  storageState: async ({ site }, use) =>
    use({
      cookies: [],
      origins: [{ origin: site.origin, localStorage: [{ name: 'liveChat', value: 'false' }] }],
    }),
  complaints: async ({ page }, use) => {
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await use(complaints)
  },
})

/** Opens a page and waits until its scripts have taken over: the chat's button comes last. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('button', { name: /^Live chat/ })).toBeVisible()
}

export { expect }
