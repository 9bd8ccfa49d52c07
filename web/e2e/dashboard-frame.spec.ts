import type { Locator } from '@playwright/test'
import { expect, someClientId, test } from './test.ts'

for (const width of [360, 1280]) {
  test(`empty pages say what to do next, at the indent of their heading, ${width} px`, async ({
    admin: { page },
    product,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    const empty = {
      '/dashboard/chats': ['No messages found!', 'open the site'],
      [`/dashboard/messages/${someClientId()}`]: ['No messages yet', 'all conversations'],
      '/dashboard/contacts': [/No contacts +found!/, 'contact form'],
      '/dashboard/my-blogs': ['No blogs found!', 'Write the first post'],
      '/dashboard/my-reviews': ['No reviews found!', 'Add a review'],
    } as const
    for (const [path, [message, next]] of Object.entries(empty)) {
      await page.goto(product.url(path))
      const words = page.getByRole('main').getByText(message)
      await expect(words).toBeVisible()
      await expect(page.getByRole('main').getByRole('link', { name: next, exact: true })).toBeVisible()
      // An open conversation begins with this link, and its heading follows in the same line.
      const edge = path.includes('/messages/')
        ? page.getByRole('main').getByRole('link', { name: 'All conversations', exact: true }).first()
        : page.getByRole('heading', { level: 1 })
      await expect(async () => expect(await textStart(words), path).toBe(await textStart(edge))).toPass()
    }
  })
}

test('an unknown address stays in the frame and leads back', async ({ admin, product }) => {
  const { page } = admin
  await page.goto(product.url('/dashboard/bogus'))
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  await expect(page).toHaveTitle(/^Page not found/)
  await expect(page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link')).toHaveCount(10)
  await expect(page.locator('[aria-current]')).toHaveCount(0)
  await page.getByRole('main').getByRole('link', { name: 'Back to the dashboard' }).click()
  await expect(page).toHaveURL(product.url('/dashboard'))
})

test('the menu marks the current page', async ({ admin, product }) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  await product.createPost({ title: 'A post', summary: 'short', slug: 'a-post', content: '<p>Hello.</p>' })
  const entries = {
    '/dashboard': 'Add blog',
    '/dashboard/add-blog': 'Add blog',
    '/dashboard/chats': 'Messages',
    [`/dashboard/messages/${clientId}`]: 'Messages',
    '/dashboard/edit/a-post': 'My blogs',
    '/dashboard/team': 'Team',
    '/dashboard/account': 'Account',
  }
  const menu = page.getByRole('navigation', { name: 'Dashboard' })
  for (const [path, label] of Object.entries(entries)) {
    await page.goto(product.url(path))
    await expect(menu.locator('[aria-current="page"]'), path).toHaveText(label)
  }
})

test.describe('without rate limits', () => {
  test.use({ env: { RATE_LIMITS: 'off' } })

  test('a conversation is usable at 400% zoom', async ({ admin, product }) => {
    const { page } = admin
    const [clientId, other] = [someClientId(), someClientId()]
    for (let at = 1; at <= 12; at++) await product.post(clientId, `question ${at}`)
    await product.post(other, 'another visitor waits')
    await page.setViewportSize({ width: 320, height: 256 })
    await admin.goto(`/dashboard/messages/${clientId}`)
    await expect(admin.message('question 12')).toBeInViewport()
    await expect(page.getByRole('link', { name: 'Next waiting' })).toBeVisible()
    const box = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().toJSON())
    await expect(async () => {
      const [log, next, composer] = await Promise.all([
        box(admin.log),
        box(page.getByRole('link', { name: 'Next waiting' })),
        box(admin.box),
      ])
      // Three lines of text.
      expect(log.height).toBeGreaterThanOrEqual(63)
      expect(next.bottom).toBeLessThanOrEqual(log.top)
      expect(composer.top).toBeGreaterThanOrEqual(log.bottom)
      expect(composer.bottom).toBeLessThanOrEqual(256)
    }).toPass()
    const { height } = await box(admin.box)
    await admin.box.fill('line\n'.repeat(8))
    await expect.poll(async () => (await box(admin.box)).height).toBeGreaterThan(height)
    expect((await box(admin.log)).height).toBeGreaterThanOrEqual(63)
    await admin.send('an answer')
    await expect(admin.message('an answer')).toBeInViewport()
  })

  test('the head of a conversation is compact at 360 px', async ({ admin, product }) => {
    const { page } = admin
    const [clientId, other] = [someClientId(), someClientId()]
    await product.post(clientId, 'hello')
    await product.post(other, 'another visitor waits')
    await page.setViewportSize({ width: 360, height: 780 })
    await admin.goto(`/dashboard/messages/${clientId}`)
    await expect(admin.message('hello')).toBeVisible()
    const box = async (locator: Locator) =>
      (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const middle = ({ y, height }: { y: number; height: number }) => y + height / 2
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await expect(button('Resolve')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Next waiting' })).toBeVisible()
    await expect(async () => {
      const [all, next, resolve, erase, name] = await Promise.all([
        box(page.getByRole('link', { name: 'All conversations' })),
        box(page.getByRole('link', { name: 'Next waiting' })),
        box(button('Resolve')),
        box(button('More about this conversation')),
        box(page.getByRole('link', { name: 'ProctorPass' })),
      ])
      expect(middle(next)).toBeCloseTo(middle(all), 0)
      expect(erase.y).toBe(resolve.y)
      // The mark alone, without a part of the name.
      expect(name.width).toBeLessThan(32)
      expect(name.width).toBeGreaterThanOrEqual(24)
    }).toPass()
  })
})

/** The left edge of an element's text. */
function textStart(element: Locator): Promise<number> {
  return element.evaluate((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect().left
  })
}

test('the dashboard says in words that it is offline', async ({ admin }) => {
  const { page } = admin
  const status = page.locator('.dashboard-trouble')
  await expect(status).toBeEmpty()
  await page.context().setOffline(true)
  await expect(status).toHaveText("You're offline. Your replies will be sent when you're back online.")
  await page.context().setOffline(false)
  await expect(status).toBeEmpty()
})
