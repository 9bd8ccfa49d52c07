import { readFileSync } from 'node:fs'
import { aliasOf } from '@proctorpass/shared/alias'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import { expect, TRANSPORTS, freshTest as test } from './test.ts'

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, colorScheme: 'dark' } as const

/** Opening hours of an hour, two to three days from now. */
function laterHours(): Settings['hours'] {
  const day = new Date(Date.now() + 3 * 86_400_000).getUTCDay() || 7
  return { timeZone: 'UTC', closed: [], spans: [{ day, from: '09:30', to: '10:30' }] }
}

const status = ({ page }: Visitor) => page.locator('.chat-status')

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`while the chat is closed in ${transport}`, () => {
    test.use({ env })

    test('the panel says when somebody is back, in the visitor’s own time and language', async ({
      browser,
      product,
    }) => {
      await product.configure({
        hours: laterHours(),
        away: { en: 'Call your proctor first.', zh: '请先联系您的监考员。' },
      })
      const kolkata = { timezoneId: 'Asia/Kolkata' }
      const visitor = await Visitor.arrive(browser, product, { ...kolkata, locale: 'en-US' })
      await visitor.openChat()
      await expect(status(visitor)).toHaveText(/We're away\. Back \w+day at 3:00 PM your time\./)
      await expect(visitor.log.getByText('Call your proctor first.')).toBeVisible()
      // Also once the socket is open, or polling runs.
      await visitor.send('hello')
      await expect(status(visitor)).toHaveText(/Back \w+day at 3:00 PM your time/)
      expect(await violations(visitor.page)).toEqual([])
      await visitor.leave()

      const chinese = await Visitor.arrive(browser, product, { ...PHONE, ...kolkata, locale: 'zh-CN' })
      await chinese.page.locator('.chat-launcher').tap()
      await expect(status(chinese)).toHaveText(/我们现在不在。(?:星期|周). 15:00（您的当地时间）回来。/)
      await expect(chinese.page.getByText('请先联系您的监考员。')).toBeVisible()
      expect(await violations(chinese.page)).toEqual([])
      await chinese.leave()
    })
  })
}

test('an admin who is there outside of the hours is there', async ({ visitor, admin, product }) => {
  await product.configure({ hours: laterHours() })
  await visitor.page.reload()
  await visitor.box.click()
  await expect(status(visitor)).toHaveText(/We're online$/)
  await admin.leave()
  await expect(status(visitor)).toHaveText(/Back \w+day at/)
})

test.describe('in polling', () => {
  test.use({ env: TRANSPORTS.polling })

  test('nothing is said of presence while the chat is open', async ({ visitor }) => {
    await visitor.send('hello')
    await expect(status(visitor)).toHaveText('Connected')
  })
})

test('a changed state is read when the visitor returns to the tab', async ({ visitor, product }) => {
  await visitor.box.click()
  await expect(status(visitor)).toHaveText(/Leave a message\.$/)
  await product.configure({ hours: laterHours() })
  await visitor.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(status(visitor)).toHaveText(/Back \w+day at/)
})

test('the greeting and the quick replies are those of the settings', async ({ browser, product }) => {
  await product.configure({
    greeting: { en: 'Ask away!', zh: '请提问！' },
    quickReplies: { en: ['What does it cost?', 'Is my webcam good enough?'], zh: [] },
  })
  const visitor = await Visitor.arrive(browser, product, PHONE)
  await visitor.openChat()
  await expect(visitor.message('Ask away!')).toBeVisible()
  expect(await violations(visitor.page)).toEqual([])
  await visitor.log.getByRole('button', { name: 'What does it cost?' }).tap()
  await visitor.expectSent('What does it cost?')
  await expect(visitor.log.getByRole('button', { name: 'Is my webcam good enough?' })).toHaveCount(0)
  await visitor.page.reload()
  await expect(visitor.message('What does it cost?')).toBeVisible()
  await expect(visitor.log.getByRole('button', { name: 'Is my webcam good enough?' })).toHaveCount(0)
  expect(await product.texts(await visitor.clientId())).toEqual(['What does it cost?'])
  await visitor.leave()
})

test('the chat works without its state', async ({ browser, product }) => {
  await product.configure({ preChat: { name: 'required', email: 'off', examAt: 'off' } })
  const context = await browser.newContext()
  await context.route('**/api/config', (route) => route.abort())
  const visitor = new Visitor(await context.newPage(), product)
  await visitor.goto('/')
  await visitor.openChat()
  await expect(visitor.log.getByText(/^Hi! Tell us which exam/)).toBeVisible()
  await visitor.send('hello')
  await visitor.leave()
})

test('a required field is asked for before the first message, and the typed text is kept', async ({
  browser,
  product,
}) => {
  await product.configure({
    preChat: { name: 'required', email: 'optional', examAt: 'off' },
    quickReplies: { en: ['What does it cost?'], zh: [] },
  })
  const visitor = await Visitor.arrive(browser, product, PHONE)
  await visitor.openChat()
  const name = visitor.panel.getByLabel('Name')
  const email = visitor.panel.getByLabel('Email (optional)')
  await expect(name).toBeVisible()
  await visitor.type('Is my webcam good enough?')
  await expect(name).toBeFocused()
  await expect(name).toHaveAccessibleDescription('Name is required')
  await expect(visitor.box).toHaveAttribute('aria-invalid', 'false')
  await expect(visitor.box).toHaveValue('Is my webcam good enough?')
  expect(await violations(visitor.page)).toEqual([])
  await visitor.log.getByRole('button', { name: 'What does it cost?' }).tap()
  await expect(name).toBeFocused()
  const both = 'Is my webcam good enough?\nWhat does it cost?'
  await expect(visitor.box).toHaveValue(both)

  await email.fill('sam')
  await name.fill('Sam')
  await visitor.page.reload()
  await expect(visitor.panel).toBeVisible()
  await expect(name).toHaveValue('Sam')
  await expect(email).toHaveValue('sam')
  await expect(visitor.box).toHaveValue(both)
  await visitor.box.fill('Is my webcam good enough?')
  await visitor.panel.getByRole('button', { name: 'Send' }).tap()
  await expect(email).toHaveAccessibleDescription('Enter a valid email address')
  await email.fill('sam@example.com')
  await email.press('Enter')
  await visitor.expectSent('Is my webcam good enough?')
  await expect(name).toHaveCount(0)
  const clientId = await visitor.clientId()
  await expect.poll(() => product.known(clientId)).toMatchObject({ name: 'Sam', email: 'sam@example.com' })

  await visitor.page.reload()
  await expect(visitor.message('Is my webcam good enough?')).toBeVisible()
  await visitor.send('And my microphone?')
  await expect(name).toHaveCount(0)
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

test('optional fields do not stop a message', async ({ visitor, product }) => {
  await product.configure({ preChat: { name: 'optional', email: 'off', examAt: 'optional' } })
  await visitor.page.reload()
  await expect(visitor.panel.getByLabel('Exam date and time (optional)')).toBeVisible()
  await visitor.send('hello')
  expect(await product.known(await visitor.clientId())).toMatchObject({ name: null, examAt: null })
})

test('a visitor rates a resolved conversation with only the keyboard', async ({ visitor, product }) => {
  await product.configure({ rating: true })
  await visitor.send('Thank you, bye')
  const clientId = await visitor.clientId()
  await product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, { status: 'resolved' })
  const scores = visitor.log.getByRole('group', { name: 'Was this helpful?' })
  await expect(scores.getByRole('radio', { name: '4: Mostly' })).toBeVisible()
  expect(await violations(visitor.page)).toEqual([])

  const send = visitor.log.getByRole('button', { name: 'Send rating' })
  await expect(send).toHaveAttribute('aria-disabled', 'true')
  await send.press('Enter')
  await expect(visitor.log.getByText('Choose a rating')).toBeVisible()
  await expect(scores.getByRole('radio', { name: '1: Not at all' })).toBeFocused()
  await visitor.page.keyboard.press('ArrowRight')
  await visitor.page.keyboard.press('ArrowRight')
  await expect(scores.getByRole('radio', { name: '3: Partly' })).toBeChecked()
  await expect(visitor.log.getByText('Choose a rating')).toHaveCount(0)
  await expect(send).not.toHaveAttribute('aria-disabled')
  await visitor.page.keyboard.press('Tab')
  await visitor.page.keyboard.type('a little slow')
  await visitor.page.keyboard.press('Tab')
  await visitor.page.keyboard.press('Enter')
  await expect(visitor.log.getByText('Thanks for your rating!')).toBeFocused()
  await expect(scores).toHaveCount(0)
  expect(await violations(visitor.page)).toEqual([])
  const { activity } = await product.callAsAdmin<{ activity: Activity[] }>(
    'GET',
    `/chat/admin/${clientId}/activity`,
  )
  expect(activity.find(({ kind }) => kind === 'rating')?.data).toEqual({ score: 3, words: 'a little slow' })
  await visitor.page.reload()
  await visitor.openChat()
  await expect(visitor.message('Thank you, bye')).toBeVisible()
  await expect(scores).toHaveCount(0)
})

test('the rating is Chinese in Chinese', async ({ browser, product }) => {
  await product.configure({ rating: true })
  const visitor = await Visitor.arrive(browser, product, { ...PHONE, locale: 'zh-CN' })
  const { page } = visitor
  await page.locator('.chat-launcher').tap()
  await page.getByRole('textbox', { name: '您的消息' }).fill('谢谢')
  await page.getByRole('button', { name: '发送' }).tap()
  await expect(page.getByText('已发送')).toBeVisible()
  await product.callAsAdmin('PATCH', `/chat/admin/${await visitor.clientId()}`, { status: 'resolved' })
  await page.getByRole('radio', { name: '5: 非常有帮助' }).tap()
  await expect(page.getByRole('radio', { name: '5: 非常有帮助' })).toBeChecked()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: '提交评价' }).tap()
  await expect(page.getByText('感谢您的评价！')).toBeVisible()
  await visitor.leave()
})

test('both sides see which admin answers', async ({ visitor, browser, product }) => {
  await product.callAsAdmin('PATCH', '/account', { displayName: 'Zoë Müller' })
  await visitor.send('hello')
  const clientId = await visitor.clientId()
  await product.reply(clientId, 'Hello, how can I help?')
  await expect(visitor.message('Hello, how can I help?')).toBeVisible()
  await expect(visitor.log.locator('.chat-author')).toHaveText('Zoë Müller')
  // Before a name is known, and after a reload.
  await visitor.page.reload()
  await visitor.openChat()
  await expect(visitor.log.locator('.chat-author')).toHaveText('Zoë Müller')

  const { invite } = await product.callAsAdmin<{ invite: string }>('POST', '/team', { userName: 'grace' })
  const token = new URL(invite).hash.slice(1)
  const answer = await fetch(product.url('/api/invite'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: 'correct horse battery staple 7' }),
  })
  const grace = (await answer.json()) as { accessToken: string; user_Id: string }
  await fetch(product.url('/api/chat'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${grace.accessToken}` },
    body: JSON.stringify({ clientId, message: 'I can help too.', senderId: grace.user_Id }),
  })
  // Without a display name visitors see the brand.
  await expect(visitor.log.locator('.chat-author')).toHaveText(['Zoë Müller', 'ProctorPass'])
  const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`)
  await expect(admin.log.locator('.chat-author')).toHaveText([aliasOf(clientId), 'grace'])
  await admin.leave()
})

test('the menu downloads the conversation, and erasing asks first', async ({ visitor, product }) => {
  const { page, panel } = visitor
  const more = panel.getByRole('button', { name: 'More' })
  await more.click()
  await expect(panel.getByRole('button', { name: 'Tell us about your exam' })).toBeFocused()
  await expect(panel.getByRole('button', { name: 'Download this conversation' })).toHaveCount(0)
  // As when the key is faster than the focus: it closes the menu, and not the panel.
  await more.focus()
  await page.keyboard.press('Escape')
  await expect(panel.locator('.chat-menu')).toHaveCount(0)
  await visitor.send('remember me')

  await more.click()
  expect(await violations(page)).toEqual([])
  const read = async (name: string) => {
    const downloading = page.waitForEvent('download')
    await panel.getByRole('button', { name }).click()
    const download = await downloading
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
  }
  const data = await read('Download as JSON')
  expect(data.name).toBe('conversation.json')
  expect(JSON.parse(data.text).messages).toMatchObject([{ from: 'you', text: 'remember me' }])
  await more.click()
  const file = await read('Download this conversation')
  expect(file.name).toBe('conversation.html')
  expect(file.text).toContain('<p dir="auto">remember me</p>')

  const question = page.getByRole('dialog', { name: 'Erase this conversation?' })
  const askToErase = async () => {
    await more.press('Enter')
    // The menu moves the focus to its first button, before or after another one gets it.
    await expect(panel.locator('.chat-menu button').first()).toBeFocused()
    await panel.getByRole('button', { name: 'Erase this conversation' }).press('Enter')
  }
  await askToErase()
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(more).toBeFocused()
  await expect(visitor.message('remember me')).toBeVisible()

  await askToErase()
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(visitor.message('remember me')).toHaveCount(0)
  expect(await product.stored(await visitor.clientId())).toEqual([])
  expect(visitor.complaints).toEqual([])
})
