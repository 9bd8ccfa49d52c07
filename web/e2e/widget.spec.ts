import type { Settings } from '@proctorpass/shared/schemas/settings'
import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import { expect, freshTest, test } from './test.ts'

test('the widget works with only a keyboard', async ({ visitor }) => {
  // The panel listens to the keyboard by then.
  await expect(visitor.panel.getByText('Connected')).toBeVisible()
  await visitor.page.keyboard.press('Escape')
  await expect(visitor.panel).toBeHidden()
  await expect(visitor.launcher).toBeFocused()
  await visitor.page.keyboard.press('Enter')
  await expect(visitor.panel).toBeVisible()
  await expect(visitor.box).toBeFocused()

  await visitor.page.keyboard.type('one')
  await visitor.page.keyboard.press('Shift+Enter')
  await visitor.page.keyboard.type('two')
  await expect(visitor.box).toHaveValue('one\ntwo')
  await visitor.page.keyboard.press('Enter')
  await expect(visitor.log.getByText(/one\s+two/)).toHaveCount(1)
  await expect(visitor.box).toHaveValue('')
  await expect(visitor.box).toBeFocused()

  await visitor.page.keyboard.press('Escape')
  await expect(visitor.panel).toBeHidden()
  await expect(visitor.launcher).toBeFocused()
})

test('an empty message shows an error and is not sent', async ({ visitor, product }) => {
  await visitor.type('   ')
  await expect(visitor.panel.getByText('Message is required')).toBeVisible()
  await visitor.send('now')
  expect(await product.stored(await visitor.clientId())).toHaveLength(1)
})

test('the draft survives a reload', async ({ visitor }) => {
  await visitor.box.fill('half a thou')
  await visitor.page.reload()
  await visitor.openChat()
  await expect(visitor.box).toHaveValue('half a thou')
})

test('a closed chat stays closed on the next page, and a new message opens it with a toast', async ({
  visitor,
  admin,
  product,
}) => {
  await visitor.send('hello')
  await admin.view(await visitor.clientId())
  await visitor.page.keyboard.press('Escape')
  await expect(visitor.panel).toBeHidden()
  await visitor.page.goto(product.url('/'))
  // The closed chat has read its conversation: what comes from now on is new.
  await expect(visitor.launcher).toHaveAccessibleName('Live chat, you have messages')
  await expect(visitor.panel).toBeHidden()

  await admin.type('are you there?')
  await expect(visitor.page.getByText('You have a new message!')).toBeVisible()
  await expect(visitor.message('are you there?')).toBeVisible()
})

test('markup typed by either side is shown as text', async ({ visitor, admin }) => {
  const hostile = '<img src=x onerror="document.title=1"><b>bold</b> javascript:alert(1)'
  await visitor.send(hostile)
  await admin.view(await visitor.clientId())
  await expect(admin.message(hostile)).toBeVisible()
  expect(await admin.log.locator('img, b, a').count()).toBe(0)
  expect(await visitor.log.locator('img, b').count()).toBe(0)
})

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 768, height: 1024 },
  { width: 360, height: 740 },
  { width: 740, height: 360 },
]

test('what opens by itself is a small card that covers no field, heading or link, and no text on large screens', async ({
  browser,
  product,
}) => {
  await product.callAsAdmin('PUT', '/settings', {
    ...(await product.callAsAdmin<Settings>('GET', '/settings')),
    quickReplies: { en: ['What does it cost?', 'Is my webcam good enough?', 'My exam is today'], zh: [] },
  })
  const visitor = await Visitor.arrive(browser, product, { path: '/login' })
  const { page } = visitor
  const shown: string[] = []
  for (const viewport of SCREENS) {
    await page.setViewportSize(viewport)
    for (const path of ['/', '/blogs', '/contact', '/faq']) {
      await visitor.goto(path)
      await expect(visitor.launcher).toBeVisible()
      await visitor.chatShown()
      if (!(await visitor.card.isVisible())) continue
      shown.push(`${viewport.width} ${path}`)
      const small = viewport.width < 640 || viewport.height < 480
      const box = await visitor.card.boundingBox()
      expect(box?.height).toBeLessThanOrEqual(small ? Math.min(260, viewport.height / 4) : 260)
      expect(await page.evaluate(coveredByCard)).toEqual([])
      expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true)
    }
  }
  for (const place of ['1280 /', '1280 /contact', '1280 /faq', '740 /', '740 /blogs', '740 /faq'])
    expect(shown).toContain(place)
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

/** Runs in the browser: the words and controls of the page that the card stands over, and all text on a large screen. */
function coveredByCard(): string[] {
  const card = document.querySelector('.chat-card')
  const area = card?.getBoundingClientRect()
  if (!card || !area) return ['no card']
  const isLarge = innerWidth >= 640 && innerHeight >= 480
  const found: string[] = []
  for (const element of document.querySelectorAll(
    `h1, h2, h3, a, input, textarea, select, button, summary${isLarge ? ', p, li, dt, dd, blockquote, span, img' : ''}`,
  )) {
    if (card.contains(element) || !element.checkVisibility({ visibilityProperty: true })) continue
    if (element.matches('.visually-hidden, .visually-hidden *')) continue
    const rects = element.matches('input, textarea, select, button, img') ? [...element.getClientRects()] : []
    const texts = document.createNodeIterator(element, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const words = document.createRange()
      words.selectNodeContents(text)
      if (text.textContent?.trim()) rects.push(...words.getClientRects())
    }
    for (const { left, right, top, bottom } of rects) {
      if (right > area.left && left < area.right && bottom > area.top && top < area.bottom) {
        found.push(`${element.tagName} ${element.textContent}`)
      }
    }
  }
  return found
}

test('on a phone what opens by itself covers no words but running text', async ({ browser, product }) => {
  const shown: string[] = []
  for (const viewport of [
    { width: 360, height: 740 },
    { width: 390, height: 844 },
  ]) {
    for (const path of ['/', '/reviews', '/privacy']) {
      const visitor = await Visitor.arrive(browser, product, { path, viewport, hasTouch: true })
      await visitor.chatShown()
      await expect(visitor.launcher).toBeVisible()
      const isShown = await visitor.card.isVisible()
      if (isShown) shown.push(`${viewport.width} ${path}`)
      const covered = await visitor.page.evaluate(() => {
        const area = document.querySelector('.chat-card[data-placed="true"]')?.getBoundingClientRect()
        if (!area) return []
        const parts = document.querySelectorAll('main :is(.opening > *, .review, .note, .sheet > p, h1, h2)')
        return [...parts].flatMap((part) => {
          const range = document.createRange()
          range.selectNodeContents(part)
          const isUnder = [...range.getClientRects()].some(
            ({ left, right, top, bottom }) =>
              right > area.left && left < area.right && bottom > area.top && top < area.bottom,
          )
          return isUnder ? [part.textContent] : []
        })
      })
      expect(covered, `${path} at ${viewport.width} px`).toEqual([])
      await visitor.leave()
    }
  }
  expect(shown).toEqual(['360 /privacy', '390 /privacy'])
})

test('a press of the card or of Live Chat opens the chat, and the card goes before it covers anything', async ({
  browser,
  product,
}) => {
  const visitor = await Visitor.arrive(browser, product)
  const { page } = visitor
  await expect(visitor.card).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('banner').getByRole('button', { name: 'Live Chat' }).click()
  await expect(visitor.box).toBeFocused()
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await visitor.card.click()
  await expect(visitor.box).toBeFocused()
  await page.evaluate(() => localStorage.clear())
  await page.goto(product.url('/contact'))
  await expect(visitor.card).toBeVisible()
  await page.setViewportSize({ width: 900, height: 560 })
  await expect(visitor.card).toHaveCount(0)
  await expect(visitor.launcher).toBeVisible()
  await visitor.leave()
})

test('the widget is not on the login page and the dashboard', async ({ visitor, admin, product }) => {
  await expect(new Visitor(admin.page, product).launcher).toHaveCount(0)
  await visitor.goto('/login')
  await expect(visitor.page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(visitor.launcher).toHaveCount(0)
})

// The answers of other tests would add how soon admins usually answer.
freshTest(
  'the panel says whether an admin is online, apart from its own connection',
  async ({ visitor, browser, product }) => {
    const status = visitor.panel.getByRole('status')
    // The first use of the chat opens its socket.
    await visitor.box.click()
    await expect(status).toHaveText(/^Connected.*We're away\. Leave a message\.$/)
    const admin = await Admin.signIn(browser, product)
    await expect(status).toHaveText(/^Connected.*We're online$/)
    await admin.leave()
    await expect(status).toHaveText(/We're away\. Leave a message\.$/)
  },
)

test('while the visitor is offline the panel says nothing of the admins', async ({ visitor }) => {
  const status = visitor.panel.getByRole('status')
  await visitor.box.click()
  await expect(status).toHaveText(/We're away/)
  await visitor.page.context().setOffline(true)
  await expect(status).toHaveText(/^Connecting\.\.\.You're offline\. Your messages will be sent/)
  await visitor.page.context().setOffline(false)
  await expect(status).toHaveText(/We're away/)
})

test("on a phone a new message's words stay clear of the button that puts its card away", async ({
  browser,
  product,
}) => {
  const visitor = await Visitor.arrive(browser, product, {
    path: '/privacy',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await visitor.openChat()
  await visitor.send('hello')
  await visitor.panel.getByRole('button', { name: /^Close/ }).tap()
  await product.reply(await visitor.clientId(), 'Hello! How can I help?')
  const words = visitor.card.getByText('Hello! How can I help?')
  await expect(words).toBeVisible()
  const text = await words.boundingBox()
  const close = await visitor.card.getByRole('button', { name: 'Dismiss' }).boundingBox()
  if (!text || !close) throw new Error('The card must have its words and its button.')
  expect(close.width).toBeGreaterThanOrEqual(44)
  expect(text.x + text.width).toBeLessThanOrEqual(close.x)
  expect(Math.abs(text.y + text.height / 2 - close.y - close.height / 2)).toBeLessThanOrEqual(4)
  await visitor.leave()
})

test('a visitor with a conversation gets no invitation on a phone', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, {
    path: '/privacy',
    viewport: { width: 360, height: 740 },
  })
  await expect(visitor.card).toContainText('Hi! Tell us which exam')
  await visitor.openChat()
  await visitor.send('hello')
  // The same address would be a reload, after which the open sheet opens again.
  await visitor.goto('/faq')
  await expect(visitor.page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(visitor.page.getByText('Hi! Tell us which exam')).toHaveCount(0)
  await visitor.openChat()
  await expect(visitor.message('hello')).toBeVisible()
  await visitor.leave()
})

test('the header leaves the messages room on small screens', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { viewport: { width: 360, height: 740 } })
  await visitor.openChat()
  await visitor.send('hello')
  const heading = visitor.panel.getByRole('heading')
  const lines = () =>
    heading.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })
  await expect.poll(lines).toBe(2)
  const heightOf = async (part: string) => (await visitor.panel.locator(part).boundingBox())?.height
  // With the on-screen keyboard, and at 400% zoom.
  for (const [width, height] of [
    [360, 380],
    [320, 256],
  ] as const) {
    await visitor.page.setViewportSize({ width, height })
    await expect.poll(() => heightOf('.chat-header')).toBeLessThanOrEqual(48)
    await expect.poll(() => heightOf('.chat-log')).toBeGreaterThan(100)
  }
  await visitor.leave()
})

test('with text of 200% on a small screen the heading is whole and leaves the messages room', async ({
  browser,
  product,
}) => {
  const visitor = await Visitor.arrive(browser, product, { viewport: { width: 320, height: 568 } })
  await visitor.openChat()
  await visitor.page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  const heading = visitor.panel.getByRole('heading')
  expect(await heading.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await expect(heading).toHaveCSS('white-space', 'normal')
  const heightOf = async (part: string) => (await visitor.panel.locator(part).boundingBox())?.height
  expect(await heightOf('.chat-header')).toBeLessThan(220)
  expect(await heightOf('.chat-log')).toBeGreaterThan(150)
  await visitor.leave()
})

test('at 400% zoom the chat is only its button until it is pressed', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { viewport: { width: 320, height: 256 } })
  await expect(visitor.card).toHaveCount(1)
  await expect(visitor.card).toBeHidden()
  await visitor.openChat()
  await visitor.leave()
})

test('a Chinese browser sees Chinese, and the switch is remembered', async ({ browser, product, admin }) => {
  const visitor = await Visitor.arrive(browser, product, { locale: 'zh-CN' })
  const { page } = visitor
  await expect(visitor.card.getByRole('button', { name: /^您好！/ })).toBeAttached()
  await visitor.card.click()
  const panel = page.getByRole('dialog', { name: '欢迎来到 ProctorPass，在线监考考试解决方案' })
  await expect(panel).toHaveAttribute('lang', 'zh')
  await expect(panel.getByText('其他联系方式')).toBeVisible()
  await panel.getByRole('textbox', { name: '您的消息' }).fill('你好')
  await panel.getByRole('button', { name: '发送' }).click()
  const log = panel.getByRole('log', { name: '消息' })
  await expect(log.getByText('你好')).toHaveCount(1)
  await expect(log.getByText('刚刚')).toBeVisible()
  await expect(panel.getByText('已发送')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await admin.view(await visitor.clientId())
  await expect(admin.box).toHaveAttribute('placeholder', 'Type your message...')

  await panel.getByRole('button', { name: '更多' }).click()
  await panel.getByRole('combobox', { name: '语言' }).selectOption('English')
  await expect(visitor.panel).toHaveAttribute('lang', 'en')
  await expect(visitor.box).toHaveAttribute('placeholder', 'Type your message...')
  // A minute may have passed.
  await expect(visitor.panel.getByText(/^(just now|\d+ minutes? ago)$/)).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.reload()
  await visitor.openChat()
  await expect(visitor.launcher).toHaveAccessibleName(/^Live chat/)
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

test('an English browser loads no other language', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product)
  const loaded: string[] = []
  visitor.page.on('request', (request) => loaded.push(request.url()))
  await visitor.page.reload()
  await visitor.openChat()
  expect(loaded.some((url) => /\/panel-/.test(url))).toBe(true)
  expect(loaded.filter((url) => /\/zh-/.test(url))).toEqual([])
  await visitor.leave()
})

test('a text from right to left stands right, and leaves its neighbors alone', async ({ visitor, admin }) => {
  await visitor.send('שלום, האם מצלמת הרשת שלי מספיקה?')
  const text = visitor.log.getByText('שלום')
  expect(await text.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
  await admin.view(await visitor.clientId())
  await admin.send('Yes.')
  await expect(visitor.message('Yes.')).toHaveCSS('direction', 'ltr')
})
