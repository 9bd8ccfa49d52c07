import type { Request } from '@playwright/test'
import { violations } from './axe.ts'
import { Visitor } from './people.ts'
import { expect, test } from './test.ts'

const QUESTION = 'Can I move my exam to another date?'
const section = (visitor: Visitor) => visitor.panel.getByRole('region', { name: 'This may answer it' })
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
  await expect(visitor.panel.getByRole('status').filter({ hasText: 'This may answer it' })).toHaveCount(0)
  await visitor.box.fill('')
  await visitor.box.pressSequentially('zebra, can I move my exam')
  await expect(section(visitor).getByRole('button')).toHaveText([QUESTION])
  await expect(visitor.panel.getByRole('status').filter({ hasText: QUESTION })).toHaveCount(1)
  expect(await violations(page)).toEqual([])

  await section(visitor).getByRole('button', { name: QUESTION }).click()
  await expect(answer(visitor).getByRole('heading', { name: QUESTION })).toBeFocused()
  await expect(answer(visitor).getByText('at least 48 hours ahead')).toBeVisible()
  expect(await violations(page)).toEqual([])
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
