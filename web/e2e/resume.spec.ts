import { startSmtpServer, type TestSmtpServer } from '../../api/test/smtp-server.ts'
import { violations, violationsInBothSchemes } from './axe.ts'
import { Visitor } from './people.ts'
import type { FreshProduct } from './product.ts'
import { expect, freshTest, test as sharedTest } from './test.ts'

const test = freshTest.extend<{ smtp: TestSmtpServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures.
  smtp: async ({}, use) => {
    const smtp = await startSmtpServer()
    await use(smtp)
    await smtp.close()
  },
  env: async ({ smtp }, use) => use({ SMTP_URL: smtp.url, MAIL_FROM: 'Support <support@example.com>' }),
})

/** A server whose clock is four minutes ahead: replies are mailed after three. */
const LATER = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent('const n=Date.now;Date.now=()=>n()+240000')}`,
}

async function giveAddress(visitor: Visitor, product: FreshProduct, locale: string): Promise<void> {
  const [clientId, key] = await visitor.page.evaluate(() => [
    localStorage.getItem('clientId'),
    localStorage.getItem('clientKey'),
  ])
  const answer = await fetch(product.url(`/api/chat/${clientId}/profile`), {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Visitor ${key}` },
    body: JSON.stringify({ email: 'zoe@example.org', locale }),
  })
  expect(answer.status).toBe(200)
}

/** The links of the mail to a visitor who wrote, left, and was answered. */
async function mailedLinks(
  visitor: Visitor,
  { product, smtp, locale = 'en-US' }: { product: FreshProduct; smtp: TestSmtpServer; locale?: string },
) {
  await visitor.openChat()
  // What the browser reports after a first message: its own locale.
  const reported = visitor.page.waitForResponse((response) => response.url().endsWith('/profile'))
  await visitor.send('Is my webcam good enough?')
  await reported
  await giveAddress(visitor, product, locale)
  const clientId = await visitor.clientId()
  await visitor.page.close()
  await product.reply(clientId, 'Yes, it is.')
  await product.shutDown()
  await product.startAgain(LATER)
  await expect.poll(() => smtp.mails.length).toBe(1)
  const { text = '', to } = smtp.mails[0] ?? {}
  expect(to).toEqual(['zoe@example.org'])
  expect(text).toContain('> Yes, it is.')
  const [resume = '', unsubscribe = ''] = text.match(/http\S+\/c\S*#\S+/g) ?? []
  return { resume, unsubscribe }
}

const heading = (visitor: Visitor) => visitor.page.getByRole('heading', { level: 1 })
const button = (visitor: Visitor, name: string) => visitor.page.getByRole('button', { name })

async function open(visitor: Visitor, link: string): Promise<void> {
  // A document of its own also where only the part behind # differs.
  await visitor.page.goto('about:blank')
  await visitor.page.goto(link)
}

test('a mailed link continues the conversation on another device, and both keep working', async ({
  browser,
  product,
  smtp,
}) => {
  const first = await Visitor.arrive(browser, product)
  const { resume } = await mailedLinks(first, { product, smtp })
  const second = await Visitor.arrive(browser, product)
  await open(second, resume)
  await expect(heading(second)).toHaveText('Your conversation')
  await expect(second.page).toHaveURL(product.url('/c'))
  await expect(second.launcher).toHaveCount(0)
  await button(second, 'Continue this conversation').click()
  await expect(second.panel).toBeVisible()
  for (const text of ['Is my webcam good enough?', 'Yes, it is.'])
    await expect(second.message(text)).toBeVisible()
  await second.send('Here from my laptop')
  // Where answers go is known here too.
  await expect(second.log.getByText("If you leave, we'll email our reply to zoe@example.org.")).toBeVisible()

  const again = await first.openTab()
  await again.openChat()
  await expect(again.message('Here from my laptop')).toBeVisible()
  await again.send('And from my phone')
  await expect(second.message('And from my phone')).toBeVisible()
  // After a reload too: the key is stored.
  await second.goto('/faq')
  await second.openChat()
  await expect(second.message('And from my phone')).toBeVisible()
  expect(second.complaints).toEqual([])

  // The same link again, on a device where it is open.
  await open(second, resume)
  await button(second, 'Continue this conversation').click()
  await expect(second.message('And from my phone')).toBeVisible()
})

test('a mailed link replaces no other conversation unasked', async ({ browser, product, smtp }) => {
  const first = await Visitor.arrive(browser, product)
  const { resume } = await mailedLinks(first, { product, smtp })
  const other = await Visitor.arrive(browser, product)
  await other.openChat()
  await other.send('Something else')
  await open(other, resume)
  await button(other, 'Continue this conversation').click()
  await expect(heading(other)).toHaveText('This device has another conversation')
  await expect(heading(other)).toBeFocused()
  expect(await violations(other.page)).toEqual([])
  await button(other, 'Keep the one on this device').click()
  await expect(other.message('Something else')).toBeVisible()

  await open(other, resume)
  await button(other, 'Continue this conversation').click()
  await button(other, 'Continue the one from the email').click()
  await expect(other.message('Yes, it is.')).toBeVisible()
  await expect(other.message('Something else')).toHaveCount(0)
})

test('the last link of a mail ends them with one click', async ({ browser, product, smtp }) => {
  const first = await Visitor.arrive(browser, product)
  const { unsubscribe } = await mailedLinks(first, { product, smtp })
  const reader = await Visitor.arrive(browser, product, { path: '/faq' })
  await open(reader, unsubscribe)
  await expect(heading(reader)).toHaveText('Unsubscribe')
  await expect(reader.page).toHaveURL(product.url('/c/unsubscribe'))
  await button(reader, 'Unsubscribe').click()
  await expect(heading(reader)).toHaveText('Unsubscribed')
  await open(reader, unsubscribe)
  await button(reader, 'Unsubscribe').click()
  await expect(heading(reader)).toHaveText('Unsubscribed')

  // Mail programs post to the address of the header.
  const posted = await fetch(smtp.mails[0]?.headers['list-unsubscribe']?.slice(1, -1) ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  })
  expect(posted.status).toBe(200)
})

test('mail and pages are in the language of the browser', async ({ browser, product, smtp }) => {
  const first = await Visitor.arrive(browser, product)
  const { resume, unsubscribe } = await mailedLinks(first, { product, smtp, locale: 'zh-CN' })
  expect(smtp.mails[0]?.headers.subject).toContain('您的对话有新回复')
  const second = await Visitor.arrive(browser, product, { locale: 'zh-TW' })
  await open(second, unsubscribe)
  await expect(heading(second)).toHaveText('退订')
  await expect(second.page.getByRole('main')).toHaveAttribute('lang', 'zh')
  await expect(second.page).toHaveTitle(/^退订 · /)
  await button(second, '退订').click()
  await expect(heading(second)).toHaveText('已退订')
  await open(second, resume)
  await button(second, '继续此对话').click()
  await expect(second.page.getByText('Yes, it is.')).toBeVisible()
  expect(second.complaints).toEqual([])
  const english = await Visitor.arrive(browser, product)
  await open(english, resume)
  await expect(heading(english)).toHaveText('Your conversation')
  await expect(english.page).toHaveTitle(/^Your conversation · /)
})

test('the chat says so to a visitor who unsubscribed, and only the mailed link undoes it', async ({
  browser,
  product,
  smtp,
}) => {
  const visitor = await Visitor.arrive(browser, product)
  const question = visitor.panel.getByRole('textbox', { name: /Where can we email our reply/ })
  const mailedTo = visitor.log.getByText("If you leave, we'll email our reply to zoe@example.org.")
  await visitor.openChat()
  await visitor.send('Is my webcam good enough?')
  await question.fill('zoe@example.org')
  await question.press('Enter')
  await expect(mailedTo).toBeVisible()
  await visitor.goto('/robots.txt')
  await product.reply(await visitor.clientId(), 'Yes, it is.')
  await product.shutDown()
  await product.startAgain(LATER)
  await expect.poll(() => smtp.mails.length).toBe(1)
  const unsubscribe = () =>
    fetch(smtp.mails[0]?.headers['list-unsubscribe']?.slice(1, -1) ?? '', { method: 'POST' })
  expect((await unsubscribe()).status).toBe(200)

  await visitor.goto('/')
  await visitor.openChat()
  await visitor.send('And my microphone?')
  await expect(question).toHaveValue('zoe@example.org')
  await expect(question).toHaveAccessibleDescription(/^You unsubscribed from emails to this address\./)
  await expect(mailedTo).toHaveCount(0)
  expect(await violations(visitor.page)).toEqual([])
  await question.press('Enter')
  const refusal = visitor.panel.getByRole('alert').filter({ hasText: 'open the Unsubscribe link' })
  await expect(refusal).toBeVisible()

  const reader = await Visitor.arrive(browser, product)
  const [link = ''] = smtp.mails[0]?.text.match(/http\S+\/c\/unsubscribe#\S+/) ?? []
  await open(reader, link)
  await button(reader, 'Get emails again').click()
  await expect(heading(reader)).toHaveText('Subscribed')
  await expect(heading(reader)).toBeFocused()
  expect(await violations(reader.page)).toEqual([])

  await visitor.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(mailedTo).toBeVisible()
  await expect(question).toHaveCount(0)

  // In a mail program, while the chat is open.
  expect((await unsubscribe()).status).toBe(200)
  await visitor.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(question).toBeVisible()
  await expect(mailedTo).toHaveCount(0)
  expect([visitor.complaints, reader.complaints]).toEqual([[], []])
})

for (const path of ['/c', '/c/unsubscribe']) {
  sharedTest(
    `${path} is usable at 360 px in both schemes, and says when a link does not work`,
    async ({ browser, product }) => {
      const visitor = await Visitor.arrive(browser, product, {
        path: `${path}#${'x'.repeat(43)}`,
        viewport: { width: 360, height: 640 },
      })
      const action = visitor.page.getByRole('button').first()
      await expect(action).toBeVisible()
      expect(await violationsInBothSchemes(visitor.page)).toEqual([])
      await action.click()
      await expect(heading(visitor)).toHaveText("This link doesn't work")
      await expect(heading(visitor)).toBeFocused()
      await expect(visitor.page.getByRole('link', { name: 'support@proctorpass.example' })).toBeVisible()
      expect(await violationsInBothSchemes(visitor.page)).toEqual([])
      const width = await visitor.page.evaluate(() => document.documentElement.scrollWidth)
      expect(width).toBeLessThanOrEqual(360)
    },
  )
}

sharedTest(
  'a link without its token says so, and without scripts the page says that it needs them',
  async ({ browser, product }) => {
    const visitor = await Visitor.arrive(browser, product, { path: '/c' })
    await expect(heading(visitor)).toHaveText("This link doesn't work")
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const page = await plain.newPage()
    const answer = await page.goto(product.url('/c'))
    expect(await answer?.text()).toContain('noindex')
    await expect(page.getByText(/needs JavaScript/)).toBeVisible()
    await plain.close()
  },
)
