import type { Locator } from '@playwright/test'
import { Admin } from './people.ts'
import { expect, someClientId, test } from './test.ts'

for (const width of [360, 1280]) {
  test(`empty pages say what to do next, in the middle of their pane, ${width} px`, async ({
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
      expect(Math.abs(await fromMiddle(words)), path).toBeLessThan(2)
    }
  })
}

test('a menu entry that is pressed while the dashboard loads is not overridden', async ({
  admin,
  product,
}) => {
  const { page } = admin
  await product.post(someClientId(), 'hello')
  let answerCount = () => {}
  let answerContacts = () => {}
  const counted = new Promise<void>((resolve) => {
    answerCount = resolve
  })
  const chosen = new Promise<void>((resolve) => {
    answerContacts = resolve
  })
  await page.route('**/chat/unread/count', async (route) => {
    await counted
    await route.continue()
  })
  await page.route('**/contacts-page-*.js', async (route) => {
    await chosen
    await route.continue()
  })
  await page.goto(product.url('/dashboard'))
  const asked = page.waitForRequest('**/contacts-page-*.js')
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Contacts' }).click()
  await asked
  answerCount()
  await expect(
    page
      .getByTitle('1 unread')
      .or(page.getByText('1', { exact: true }))
      .first(),
  ).toBeVisible()
  answerContacts()
  await expect(page).toHaveURL(/\/dashboard\/contacts$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Contact messages' })).toBeVisible()
})

test('an unknown address stays in the frame and leads back', async ({ admin, product }) => {
  const { page } = admin
  await page.goto(product.url('/dashboard/bogus'))
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  await expect(page).toHaveTitle(/^Page not found/)
  await expect(page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link')).toHaveCount(16)
  await expect(page.locator('[aria-current]')).toHaveCount(0)
  await page.getByRole('main').getByRole('link', { name: 'Back to the dashboard' }).click()
  await expect(page).toHaveURL(/\/dashboard(?:\/chats)?$/)
})

test('the menu marks the current page', async ({ admin, product }) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  await product.createPost({ title: 'A post', summary: 'short', slug: 'a-post', content: '<p>Hello.</p>' })
  const entries = {
    // A message is unread.
    '/dashboard': 'Messages',
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
  await expect(menu.getByText(/^Version [0-9]+[.][0-9]+[.][0-9]+$/)).toBeVisible()
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
    const resolve = page.getByRole('button', { name: 'Resolve', exact: true })
    await expect(resolve).toBeVisible()
    const box = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().toJSON())
    await expect(async () => {
      const [log, next, composer] = await Promise.all([box(admin.log), box(resolve), box(admin.box)])
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

  test('the head of a conversation is one row on a phone, and everything is two taps away', async ({
    browser,
    product,
  }) => {
    const [clientId, other] = [someClientId(), someClientId()]
    for (let at = 1; at <= 12; at++) await product.post(clientId, `question ${at}`)
    await product.post(other, 'another visitor waits')
    const labels = ['camera', 'refund', 'a label with several words']
    await product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, { labels })
    const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    })
    const { page } = admin
    const head = page.locator('.conversation-head')
    const more = head.getByRole('button', { name: 'More about this conversation' })
    await expect(admin.message('question 12')).toBeInViewport()
    await expect(head.getByRole('button', { name: 'Resolve' })).toBeVisible()
    const middle = async (name: string) => {
      const { y, height } = (await page.getByRole('button', { name, exact: true }).boundingBox()) ?? {
        y: 0,
        height: 0,
      }
      return Math.round(y + height / 2)
    }
    for (const width of [320, 360, 375, 390, 412, 430]) {
      await page.setViewportSize({ width, height: 740 })
      expect(await middle('Send')).toBe(await middle('Reply'))
      expect(await middle('More ways to send')).toBe(await middle('Reply'))
      await expect(head.getByRole('button')).toHaveCount(2)
      expect(await head.evaluate((element) => element.getBoundingClientRect().height)).toBeLessThanOrEqual(64)
      for (const targets of [head.getByRole('button'), head.getByRole('link')]) {
        const sizes = await targets.evaluateAll((all) =>
          all.map((each) => {
            const { width, height } = each.getBoundingClientRect()
            return Math.round(Math.min(width, height))
          }),
        )
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44)
      }
    }
    // The on-screen keyboard.
    await admin.box.tap()
    for (const height of [400, 340, 300]) {
      await page.setViewportSize({ width: 360, height })
      expect((await head.boundingBox())?.height).toBe(44)
      await expect.poll(() => admin.log.evaluate((log) => log.clientHeight)).toBeGreaterThan(height / 2)
      await expect(admin.message('question 12')).toBeInViewport()
      await expect(admin.box).toBeInViewport({ ratio: 1 })
    }
    await page.setViewportSize({ width: 360, height: 740 })
    // Only the messages scroll.
    expect(await page.locator('main').evaluate((main) => main.scrollHeight - main.clientHeight)).toBe(0)
    const menu = page.getByRole('dialog', { name: 'More' })
    for (const name of ['Snooze', 'Assign', 'Labels', 'Block', 'Visitor', 'Erase conversation']) {
      await more.tap()
      await menu.getByRole('button', { name, exact: true }).tap()
      await expect(page.getByRole('dialog')).toHaveCount(1)
      await expect(menu).toHaveCount(0)
      await page.goBack()
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await more.tap()
    await expect(menu.getByRole('list', { name: 'State' })).toContainText('a label with several words')
    await menu.getByRole('button', { name: 'Next in line' }).tap()
    await expect(page).toHaveURL(product.url(`/dashboard/messages/${other}`))
    await page.getByRole('button', { name: 'Menu' }).tap()
    await expect(page.getByRole('navigation', { name: 'Dashboard' })).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('navigation', { name: 'Dashboard' })).toBeHidden()
    await page.getByRole('button', { name: 'Menu' }).tap()
    const { x, y } = (await more.boundingBox()) ?? { x: 0, y: 0 }
    await page.touchscreen.tap(x + 22, y + 22)
    await expect(page.getByRole('navigation', { name: 'Dashboard' })).toBeHidden()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.goBack()
    await expect(page).toHaveURL(product.url(`/dashboard/messages/${clientId}`))
    expect(admin.complaints).toEqual([])
    await admin.leave()
  })
})

/** How far the middle of an element's text is from the middle of its pane. */
function fromMiddle(element: Locator): Promise<number> {
  return element.evaluate((node) => {
    const middle = ({ left, right }: DOMRect) => (left + right) / 2
    const range = document.createRange()
    range.selectNodeContents(node)
    const pane = node.closest('.conversation, main')?.getBoundingClientRect() ?? new DOMRect()
    return middle(range.getBoundingClientRect()) - middle(pane)
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

test("a notice covers none of a page's controls at any width", async ({ admin: { page }, product }) => {
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  const pages = [
    'chats',
    `messages/${clientId}`,
    'contacts',
    'replies',
    'add-blog',
    'my-blogs',
    'my-reviews',
    'sites',
    'team',
    'settings',
    'integrations',
    'audit',
    'account',
    'reports',
  ]
  for (const path of pages) {
    await page.goto(product.url(`/dashboard/${path}`))
    for (const width of [390, 1100, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      const notices = page.getByRole('region', { name: 'Notices' })
      await expect(async () => {
        await page.keyboard.press('ControlOrMeta+z')
        await expect(notices).toContainText('Nothing to undo', { timeout: 1_000 })
      }).toPass()
      expect(await page.evaluate(coveredByNotice), `${path}, ${width} px`).toEqual([])
    }
  }
})

test('the collapsed menu and the columns of 900 px have room for what they show', async ({
  admin: { page },
  product,
}) => {
  await page.setViewportSize({ width: 900, height: 800 })
  const contact = { email: 'sam@example.com', title: 'A question', message: 'How long does it take?' }
  const headers = { 'content-type': 'application/json' }
  await fetch(product.url('/api/contacts'), { method: 'POST', headers, body: JSON.stringify(contact) })
  await page.goto(product.url('/dashboard/contacts'))
  const message = page.getByRole('main').getByText(contact.message).first()
  expect((await message.boundingBox())?.width).toBeGreaterThan(120)
  await page.getByRole('button', { name: 'Collapse menu' }).click()
  const menu = page.getByRole('navigation', { name: 'Dashboard' })
  expect(await menu.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})

/** The names of the page's controls that lie below a notice, and of the hamburger. */
function coveredByNotice(): string[] {
  const notice = document.querySelector('.toast')?.getBoundingClientRect()
  if (!notice) return ['no notice']
  const controls = document.querySelectorAll(
    'main :is(button, a, input, select, textarea), .dashboard-hamburger',
  )
  return [...controls].flatMap((control) => {
    const { left, right, top, bottom, width } = control.getBoundingClientRect()
    const isBelow = left < notice.right && right > notice.left && top < notice.bottom && bottom > notice.top
    return width > 0 && isBelow ? [control.getAttribute('aria-label') ?? control.textContent] : []
  })
}
