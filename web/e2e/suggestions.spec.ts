import type { Request } from '@playwright/test'
import type { Answered } from '@proctorpass/shared/schemas/suggestion'
import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import type { Product } from './product.ts'
import { expect, freshTest, test } from './test.ts'

const QUESTION = 'Can I move my exam to another date?'
const section = (visitor: Visitor) => visitor.panel.getByRole('region', { name: 'These might help' })
const answer = (visitor: Visitor) => visitor.panel.getByRole('region', { name: QUESTION })

test('pages that may answer are shown while a visitor types, and nothing typed leaves the browser', async ({
  browser,
  product,
}) => {
  const visitor = await Visitor.arrive(browser, product)
  const { page } = visitor
  await visitor.openChat()
  const requests: Request[] = []
  const frames: string[] = []
  page.on('request', (request) => requests.push(request))
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => frames.push(String(payload))))
  await visitor.box.pressSequentially('zebra moev my')
  await expect(visitor.panel.getByRole('status').filter({ hasText: 'These might help' })).toHaveCount(0)
  await visitor.box.fill('')
  await visitor.box.pressSequentially('zebra, can I move my exam')
  await expect(section(visitor).getByRole('button')).toHaveText([QUESTION])
  await expect(visitor.panel.getByRole('status').filter({ hasText: QUESTION })).toHaveCount(1)
  expect(await violations(page)).toEqual([])

  await section(visitor).getByRole('button', { name: QUESTION }).click()
  await expect(answer(visitor).getByRole('heading', { name: QUESTION })).toBeFocused()
  await expect(answer(visitor).getByText('at least 48 hours ahead')).toBeVisible()
  expect(await violations(page)).toEqual([])
  // A press on the text takes the focus away from the heading.
  await answer(visitor).getByText('at least 48 hours ahead').click()
  await page.keyboard.press('Escape')
  await expect(answer(visitor)).toBeHidden()
  await expect(section(visitor).getByRole('button')).toBeFocused()
  await expect(visitor.box).toHaveValue('zebra, can I move my exam')

  const said = [...requests.map((each) => `${each.url()} ${each.postData() ?? ''}`), ...frames].join('\n')
  expect(said).toContain('/suggestions')
  expect(said).not.toMatch(/zebra|moev|move my/i)

  await visitor.box.press('Enter')
  await visitor.expectSent('zebra, can I move my exam')
  await expect(section(visitor)).toBeHidden()
})

test('without the setting, or without what it searches in, a visitor writes as before', async ({
  browser,
  product,
}) => {
  await product.configure({ suggestions: false })
  const visitor = await Visitor.arrive(browser, product)
  await visitor.openChat()
  const asked: string[] = []
  visitor.page.on('request', (request) => asked.push(request.url()))
  await visitor.send('can I move my exam to another date')
  expect(asked.filter((url) => url.includes('suggest'))).toEqual([])

  await product.configure({ suggestions: true })
  const other = await Visitor.arrive(browser, product)
  await other.page.route(/suggest/, (route) => route.abort())
  await other.openChat()
  await other.send('can I move my exam to another date')
})

test('the suggestions leave their room to a form that is filled in', async ({ browser, product }) => {
  await product.configure({ preChat: { name: 'required', email: 'optional', examAt: 'off' } })
  const visitor = await Visitor.arrive(browser, product)
  await visitor.openChat()
  await visitor.box.pressSequentially('can I move my exam')
  await expect(section(visitor)).toBeVisible()
  await visitor.box.press('Enter')
  await expect(visitor.panel.getByLabel('Name')).toBeFocused()
  await expect(section(visitor)).toBeHidden()
  await visitor.box.focus()
  await expect(section(visitor)).toBeVisible()
  await visitor.leave()
})

const DAY_MS = 24 * 60 * 60 * 1_000

/** Of the days around today: the test may run at midnight. */
async function answered(product: Product): Promise<Answered> {
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10))
  return product.callAsAdmin<Answered>('GET', `/suggestions/answered?from=${from}&to=${to}`)
}

freshTest(
  'an opened page has answered, unless a message follows within half an hour',
  async ({ browser, product }) => {
    const visitor = await Visitor.arrive(browser, product)
    const { page } = visitor
    await page.clock.install()
    await visitor.goto('/')
    const counted: string[] = []
    page.on('request', (request) => {
      const [, what] = /suggestions\/(opened|asked)$/.exec(request.url()) ?? []
      if (what !== undefined) counted.push(`${what} ${request.postDataJSON().path}`)
    })
    const path = '/faq#can-i-move-my-exam-to-another-date'
    const open = async () => {
      await section(visitor).getByRole('button', { name: QUESTION }).click()
      await expect(answer(visitor).getByText('at least 48 hours ahead')).toBeVisible()
      await page.keyboard.press('Escape')
    }
    const figures = async () =>
      (await answered(product)).pages.map(({ opened, answered }) => [opened, answered])

    await visitor.openChat()
    await visitor.box.pressSequentially('can I move my exam')
    await open()
    await open()
    await expect.poll(figures).toEqual([[1, 1]])
    await page.clock.fastForward('31:00')
    await visitor.box.press('Enter')
    await visitor.expectSent('can I move my exam')
    expect(counted).toEqual([`opened ${path}`])
    expect(await figures()).toEqual([[1, 1]])

    await visitor.box.pressSequentially('can I move my exam now')
    await open()
    await expect.poll(figures).toEqual([[2, 2]])
    await page.clock.fastForward('29:00')
    await visitor.box.press('Enter')
    await visitor.expectSent('can I move my exam now')
    await expect.poll(figures).toEqual([[2, 1]])
    await visitor.send('thanks')
    expect(counted).toEqual([`opened ${path}`, `opened ${path}`, `asked ${path}`])

    for (let n = 0; n < 5; n++) await product.post(`GiraffeRider${n}`.padEnd(20, '0'), 'Giraffes?')
    const admin = await Admin.signIn(browser, product, '/dashboard/reports')
    const row = admin.page
      .getByRole('table', { name: 'Suggested pages' })
      .getByRole('row', { name: QUESTION })
    await expect(row.getByRole('cell')).toHaveText(['2', '1'])
    await expect(admin.page.getByRole('list', { name: 'Words without a page' })).toContainText('giraffes 5')
    expect(await violations(admin.page)).toEqual([])
  },
)

freshTest(
  'questions in scripts without spaces are found, and their answers are in the same language',
  async ({ browser, product }) => {
    await product.configure({ languages: ['en', 'zh', 'th'] })
    const id = 'how-do-refunds-work'
    for (const { lang, question, answer, typed } of [
      { lang: 'zh', question: '怎么退款？', answer: '五天之内。', typed: '你好，我想退款' },
      {
        lang: 'th',
        question: 'ขอเงินคืนได้อย่างไร',
        answer: 'ภายในห้าวัน',
        typed: 'สวัสดีครับ อยากขอเงินคืนค่าสอบ',
      },
    ]) {
      await product.callAsAdmin('PATCH', `/faq/${id}?lang=${lang}`, {
        ...{ question, answer: `<p>${answer}</p>`, version: 0 },
      })
      const page = await browser.newPage({ locale: lang })
      await page.goto(product.url('/'))
      await page.locator('.chat-launcher').click()
      const panel = page.getByRole('dialog')
      const box = panel.locator('textarea')
      await box.pressSequentially('xqz xqz xqz')
      await expect(panel.locator('.chat-suggestions')).toHaveCount(0)
      await box.fill('')
      await box.pressSequentially(typed)
      await panel.locator('.chat-suggestions').getByRole('button', { name: question }).click()
      const shown = panel.getByRole('region', { name: question })
      await expect(shown.getByText(answer)).toBeVisible()
      expect(await violations(page)).toEqual([])
      await page.close()
    }
  },
)
