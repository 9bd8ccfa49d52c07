import type { Settings } from '@proctorpass/shared/schemas/settings'
import { startSmtpServer, type TestSmtpServer } from '../../api/test/smtp-server.ts'
import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import { test as base, expect, TRANSPORTS } from './test.ts'

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, colorScheme: 'dark' } as const
const ADDRESS = 'name@example.org'

const test = base.extend<object, { smtp: TestSmtpServer }>({
  smtp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures.
    async ({}, use) => {
      const smtp = await startSmtpServer()
      await use(smtp)
      await smtp.close()
    },
    { scope: 'worker' },
  ],
})

/** With a mail server. */
function useMail(env: Record<string, string> = {}): void {
  test.use({
    env: async ({ smtp }, use) =>
      use({ SMTP_URL: smtp.url, MAIL_FROM: 'Support <support@example.com>', ...env }),
  })
}

useMail()

/** Opening hours of an hour, two to three days from now. */
function laterHours(): Settings['hours'] {
  const day = new Date(Date.now() + 3 * 86_400_000).getUTCDay() || 7
  return { timeZone: 'UTC', closed: [], spans: [{ day, from: '09:30', to: '10:30' }] }
}

const question = ({ panel }: Visitor) => panel.getByRole('textbox', { name: /Where can we email our reply/ })
const mailedTo = ({ log }: Visitor) => log.getByText(`If you leave, we'll email our reply to ${ADDRESS}.`)

test('a visitor reads that it is closed before anything is asked', async ({ browser, product }) => {
  const away =
    'Call your proctor first. We read everything you write here tonight, and answer in the morning.'
  await product.configure({
    hours: laterHours(),
    away: { en: away, zh: '' },
    quickReplies: { en: ['What does it cost?'], zh: [] },
    preChat: { name: 'required', email: 'optional', examAt: 'optional' },
  })
  const visitor = await Visitor.arrive(browser, product, PHONE)
  await visitor.openChat()
  const form = visitor.log.getByRole('form', { name: 'Before your first message' })
  await expect(form).toBeVisible()
  const parts = [
    visitor.log.getByText(/^Hi! Tell us/),
    visitor.message(away),
    visitor.log.getByRole('button', { name: 'What does it cost?' }),
    form,
  ]
  await expect(async () => {
    const tops = await Promise.all(parts.map(async (part) => (await part.boundingBox())?.y ?? Number.NaN))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  }).toPass()
  await expect(parts[0] as (typeof parts)[0]).toBeInViewport()
  await expect(visitor.message(away)).toBeInViewport({ ratio: 1 })
  // Why the address is asked for.
  await expect(form.getByLabel('Email')).toHaveAccessibleDescription(
    "If you leave, we'll email our reply to this address.",
  )

  // The label of the field that is wrong is on the screen too.
  await visitor.type('hello')
  await expect(form.getByLabel('Name')).toBeFocused()
  await expect(form.getByText('Name', { exact: true })).toBeInViewport({ ratio: 1 })
  await form.getByLabel('Name').fill('Sam')
  await visitor.panel.getByRole('button', { name: 'Send' }).tap()
  await visitor.expectSent('hello')
  // Behind the written text, once.
  await expect(visitor.message(away)).toHaveCount(1)
  await expect(async () => {
    const own = (await visitor.message('hello').boundingBox())?.y ?? Number.NaN
    expect((await visitor.message(away).boundingBox())?.y).toBeGreaterThan(own)
  }).toPass()
  await visitor.leave()
})

test('a visitor is asked for a rating instead of an address', async ({ browser, product }) => {
  await product.configure({ hours: laterHours(), rating: true })
  const visitor = await Visitor.arrive(browser, product, PHONE)
  await visitor.openChat()
  await visitor.send('Thank you, bye')
  await expect(question(visitor)).toBeVisible()
  await product.callAsAdmin('PATCH', `/chat/admin/${await visitor.clientId()}`, { status: 'resolved' })
  await expect(visitor.log.getByRole('group', { name: 'Was this helpful?' })).toBeVisible()
  await expect(question(visitor)).toHaveCount(0)
  await visitor.log.getByRole('radio', { name: '4: Mostly' }).tap()
  await visitor.log.getByRole('button', { name: 'Send rating' }).tap()
  await expect(visitor.log.getByText('Thanks for your rating!')).toBeVisible()
  await expect(question(visitor)).toHaveCount(0)

  // A new message waits for an answer again.
  await visitor.send('One more thing')
  await expect(question(visitor)).toBeVisible()
  await visitor.leave()
})

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`in ${transport}`, () => {
    useMail(env)

    test('a visitor who gets no answer now is offered the answer by email', async ({ browser, product }) => {
      await product.configure({ hours: laterHours() })
      const visitor = await Visitor.arrive(browser, product, PHONE)
      await visitor.openChat()
      await expect(question(visitor)).toHaveCount(0)
      await visitor.send('Is my webcam good enough?')
      await expect(question(visitor)).toBeVisible()
      await expect(visitor.message('Is my webcam good enough?')).toBeInViewport({ ratio: 1 })
      await expect(visitor.box).toBeFocused()
      expect(await violations(visitor.page)).toEqual([])

      const save = visitor.panel.getByRole('button', { name: 'Save' })
      await save.tap()
      await expect(question(visitor)).toBeFocused()
      await expect(question(visitor)).toHaveAccessibleDescription('Email is required')
      await question(visitor).fill('name@')
      await save.tap()
      await expect(question(visitor)).toHaveAccessibleDescription('Enter a valid email address')
      expect(await violations(visitor.page)).toEqual([])
      await question(visitor).fill(ADDRESS)
      await question(visitor).press('Enter')
      await expect(mailedTo(visitor)).toBeFocused()
      await expect(question(visitor)).toHaveCount(0)
      const clientId = await visitor.clientId()
      expect(await product.known(clientId)).toMatchObject({ email: ADDRESS })
      expect(await violations(visitor.page)).toEqual([])

      // On a phone, the open panel is there again.
      await visitor.page.reload()
      await expect(mailedTo(visitor)).toBeVisible()
      // Nothing is due any more.
      await product.reply(clientId, 'Yes, it is.')
      await expect(visitor.message('Yes, it is.')).toBeVisible()
      await expect(mailedTo(visitor)).toHaveCount(0)
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    })
  })
}

test('mails follow the language that the visitor chooses in the chat', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { locale: 'zh-CN' })
  const panel = visitor.page.getByRole('dialog')
  await visitor.page.locator('.chat-launcher').click()
  await panel.getByRole('textbox').fill('hello')
  await panel.getByRole('textbox').press('Enter')
  const locale = async () => (await product.known(await visitor.clientId())).locale
  await expect.poll(locale).toBe('zh-CN')
  await panel.getByRole('button', { name: '更多' }).click()
  await panel.getByRole('combobox').selectOption('English')
  await expect.poll(locale).toBe('en')
  await visitor.leave()
})

test('an address of before the first message is where the answer comes', async ({ browser, product }) => {
  await product.configure({
    hours: laterHours(),
    preChat: { name: 'off', email: 'optional', examAt: 'off' },
  })
  const visitor = await Visitor.arrive(browser, product)
  await visitor.openChat()
  await visitor.log.getByLabel('Email (optional)').fill(ADDRESS)
  await visitor.send('hello')
  await expect(mailedTo(visitor)).toBeVisible()
  await expect(question(visitor)).toHaveCount(0)
  // Another address, and none.
  const form = visitor.page.getByRole('dialog', { name: 'Tell us about your exam' })
  const about = async (email: string) => {
    await visitor.panel.getByRole('button', { name: 'More' }).click()
    await visitor.panel.getByRole('button', { name: 'Tell us about your exam' }).click()
    await form.getByLabel('Email').fill(email)
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form).toBeHidden()
  }
  await about('other@example.org')
  await expect(visitor.log.getByText('email our reply to other@example.org.')).toBeVisible()
  await about('')
  await expect(question(visitor)).toBeVisible()
  await visitor.leave()
})

test('the typed part of an address stays when an admin comes', async ({ visitor, browser, product }) => {
  await visitor.send('hello')
  await question(visitor).fill('name@exam')
  const admin = await Admin.signIn(browser, product)
  await expect(visitor.panel.getByText("We're online")).toBeVisible()
  await expect(question(visitor)).toHaveValue('name@exam')
  await visitor.page.reload()
  await visitor.openChat()
  await visitor.box.click()
  await expect(visitor.panel.getByText("We're online")).toBeVisible()
  await expect(question(visitor)).toHaveCount(0)
  await admin.leave()
})

test.describe('without a mail server', () => {
  test.use({ env: {} })

  test('no address is asked for', async ({ visitor }) => {
    await visitor.send('hello')
    await expect(visitor.panel.getByText("We're away. Leave a message.")).toBeVisible()
    await expect(question(visitor)).toHaveCount(0)
    await visitor.panel.getByRole('button', { name: 'More' }).click()
    await visitor.panel.getByRole('button', { name: 'Tell us about your exam' }).click()
    const form = visitor.page.getByRole('dialog', { name: 'Tell us about your exam' })
    await expect(form.getByLabel('Email')).toHaveAccessibleDescription('')
  })
})

test('a first message without a server waits in the outbox, not in its box', async ({ browser, product }) => {
  const context = await browser.newContext(PHONE)
  await context.route('**/api/**', (route) => route.abort())
  await context.routeWebSocket(/socket\.io/, (socket) => socket.close())
  const visitor = new Visitor(await context.newPage(), product)
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.type('Is anybody there?')
  const pending = visitor.log.locator('[data-waiting="sending"]')
  await expect(pending).toHaveText(/Is anybody there\?/)
  await expect(visitor.box).toHaveValue('')
  await visitor.page.reload()
  await expect(pending).toHaveText(/Is anybody there\?/)
  await context.unroute('**/api/**')
  await visitor.expectSent('Is anybody there?')
  expect(await product.texts(await visitor.clientId())).toEqual(['Is anybody there?'])
  await context.close()
})

test('a required field that becomes known late is asked for before the first message', async ({
  browser,
  product,
}) => {
  await product.configure({ preChat: { name: 'required', email: 'off', examAt: 'off' } })
  const context = await browser.newContext(PHONE)
  // The answer comes when the test says so, also on a slow machine: the chat waits for three seconds at most.
  await context.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal
  })
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await context.route('**/api/config', async (route) => {
    await answered
    await route.continue().catch(() => {})
  })
  const visitor = new Visitor(await context.newPage(), product)
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.type('Is my webcam good enough?')
  await expect(visitor.box).toHaveValue('Is my webcam good enough?')
  await expect(visitor.panel.locator('.spinner')).toBeVisible()
  // Not sent while it is changed.
  await visitor.box.press('End')
  await visitor.box.pressSequentially('!')
  await expect(visitor.panel.locator('.spinner')).toHaveCount(0)
  await visitor.box.press('Enter')
  answer()
  const name = visitor.log.getByLabel('Name')
  await expect(name).toBeFocused()
  await expect(visitor.box).toHaveValue('Is my webcam good enough?!')
  expect(await product.texts(await visitor.clientId())).toEqual([])
  await name.fill('Sam')
  await name.press('Enter')
  await visitor.expectSent('Is my webcam good enough?!')
  const clientId = await visitor.clientId()
  await expect.poll(() => product.known(clientId)).toMatchObject({ name: 'Sam' })
  await context.close()
})
