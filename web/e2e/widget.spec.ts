import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import { expect, test } from './test.ts'

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

test('on a small screen the chat starts as a card', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { viewport: { width: 360, height: 740 } })
  await expect(visitor.launcher).toBeVisible()
  await expect(visitor.box).toBeHidden()
  await visitor.openChat()
  await visitor.send('from a phone')
  await visitor.leave()
})

test('the widget is not on the login page and the dashboard', async ({ visitor, admin, product }) => {
  await expect(new Visitor(admin.page, product).launcher).toHaveCount(0)
  await visitor.goto('/login')
  await expect(visitor.page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(visitor.launcher).toHaveCount(0)
})

test('the panel says whether an admin is online, apart from its own connection', async ({
  visitor,
  browser,
  product,
}) => {
  const status = visitor.panel.getByRole('status')
  // The first use of the chat opens its socket.
  await visitor.box.click()
  await expect(status).toHaveText(/^Connected.*We're away\. Leave a message\.$/)
  const admin = await Admin.signIn(browser, product)
  await expect(status).toHaveText(/^Connected.*We're online$/)
  await admin.leave()
  await expect(status).toHaveText(/We're away\. Leave a message\.$/)
})

test('while the visitor is offline the panel says nothing of the admins', async ({ visitor }) => {
  const status = visitor.panel.getByRole('status')
  await visitor.box.click()
  await expect(status).toHaveText(/We're away/)
  await visitor.page.context().setOffline(true)
  await expect(status).toHaveText(/^Connecting\.\.\.You're offline\. Your messages will be sent/)
  await visitor.page.context().setOffline(false)
  await expect(status).toHaveText(/We're away/)
})

test('a visitor with a conversation gets no invitation on a phone', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { viewport: { width: 360, height: 740 } })
  const card = visitor.page.getByRole('complementary', { name: 'Live chat' })
  await expect(card).toContainText('Questions about your proctored exam?')
  await visitor.openChat()
  await visitor.send('hello')
  await visitor.goto('/faq')
  await card.getByRole('button', { name: 'Continue your conversation' }).click()
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

test('the invitation fits at 400% zoom', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { viewport: { width: 320, height: 256 } })
  const card = visitor.page.getByRole('complementary', { name: 'Live chat' })
  await expect(card).toBeInViewport({ ratio: 1 })
  const text = card.locator('span')
  await expect.poll(() => text.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0)
  await visitor.leave()
})

test('a Chinese browser sees Chinese, and the switch is remembered', async ({ browser, product, admin }) => {
  const visitor = await Visitor.arrive(browser, product, { locale: 'zh-CN' })
  const { page } = visitor
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
  await expect(panel.getByRole('group', { name: '语言' })).toBeVisible()
  await panel.getByRole('button', { name: 'English' }).click()
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
