import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { aliasOf } from '@proctorpass/shared/alias'
import { violationsInBothSchemes } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import type { Product } from './product.ts'
import { expect, freshTest, someClientId, test } from './test.ts'

const card = (page: Page, label: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(label, { exact: true }) })
const value = (page: Page, label: string) => card(page, label).locator('.report-card-value')
/** A figure of the table. */
const cellsOf = (page: Page, label: string) =>
  page
    .getByRole('table', { name: 'More figures' })
    .getByRole('row')
    .filter({ has: page.getByText(label, { exact: true }) })
    .getByRole('cell')

/** Six conversations: five were answered, of which one was resolved with a label. */
async function fill(product: Product): Promise<void> {
  const ids = Array.from({ length: 6 }, someClientId)
  for (const clientId of ids) await product.post(clientId, 'A question')
  for (const clientId of ids.slice(1)) await product.reply(clientId, 'An answer')
  const change = { status: 'resolved', labels: ['Refund'] }
  await product.callAsAdmin('PATCH', `/chat/admin/${ids[1]}`, change)
}

freshTest(
  'an admin reads what happened: range, filter, table, definition and CSV',
  async ({ browser, product }) => {
    await fill(product)
    const admin = await Admin.signIn(browser, product, '/dashboard/reports')
    const { page } = admin
    await expect(value(page, 'New conversations')).toHaveText('6')
    await expect(cellsOf(page, 'Messages from visitors')).toHaveText(['6', '0', '–'])
    await expect(
      card(page, 'Median first response time').getByText('5 answers', { exact: true }),
    ).toBeVisible()
    await expect(page.getByRole('list', { name: 'In short' })).toContainText('No conversations were missed.')
    expect(await violationsInBothSchemes(page)).toEqual([])

    // The definition of a figure, by keyboard.
    const definition = page.getByText('Conversations whose first message was sent in this period.')
    await expect(definition).toBeHidden()
    await card(page, 'New conversations').getByRole('button', { name: 'Definition' }).press('Enter')
    await expect(definition).toBeVisible()

    await page.getByLabel('Label', { exact: true }).selectOption('Refund')
    await expect(value(page, 'New conversations')).toHaveText('1')
    await expect(cellsOf(page, 'Resolved').first()).toHaveText('1')
    await page.getByLabel('Label', { exact: true }).selectOption('')
    await expect(value(page, 'New conversations')).toHaveText('6')

    await page.getByLabel('Figure', { exact: true }).selectOption('New conversations')
    await page.getByText('View as table', { exact: true }).click()
    const table = page.getByRole('table', { name: 'New conversations by day' })
    await expect(table.getByRole('row')).toHaveCount(1 + 28)
    await expect(table.getByRole('cell', { name: '6', exact: true })).toHaveCount(1)

    await page.getByLabel('Period', { exact: true }).selectOption('Last 7 days')
    await expect(page).toHaveURL(/days=7/)
    await expect(table.getByRole('row')).toHaveCount(1 + 7)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const csv = readFileSync(await (await download).path(), 'utf8')
    expect(csv).toMatch(
      /^"totals"\r\n"range","conversations","episodes",.*\r\n"[\d-]+ to [\d-]+",6,6,1,0,6,5,/,
    )

    // Days long before the first message.
    await page.getByLabel('Period', { exact: true }).selectOption('Custom')
    await page.getByLabel('From', { exact: true }).fill('2020-02-01')
    await page.getByLabel('To', { exact: true }).fill('2020-02-02')
    await expect(page.getByText('No messages in this period.')).toBeVisible()
    await expect(value(page, 'New conversations')).toHaveText('0')
  },
)

test('an admin types days, and an address may hold any', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/reports?days=1e9')
  const { page } = admin
  const days = page.getByLabel('Period', { exact: true })
  const from = page.getByLabel('From', { exact: true })
  await expect(days).toHaveValue('28')
  await expect(value(page, 'New conversations')).toHaveText(/^\d+$/)
  await days.selectOption('Custom')
  // The days that the report shows.
  await expect(from).toHaveValue(/^\d{4}-\d\d-\d\d$/)
  const before = await from.inputValue()
  await from.focus()
  // The year is the last part, in every order of day and month that English has.
  for (const key of ['ArrowRight', 'ArrowRight', '2', '0', '2', '5']) await page.keyboard.press(key)
  await expect(from).toHaveValue(`2025${before.slice(4)}`)
  await expect(page).toHaveURL(/from=2025-/)
  await expect(value(page, 'New conversations')).toHaveText(/^\d+$/)
  // A report of the year 20 is refused.
  expect(admin.complaints).toEqual([])
})

freshTest(
  'an admin reads the values of the charts by keyboard and by pointer',
  async ({ browser, product }) => {
    await fill(product)
    const admin = await Admin.signIn(browser, product, '/dashboard/reports?zone=UTC')
    const { page } = admin
    const figure = page.getByLabel('Figure', { exact: true })
    await figure.selectOption('New conversations')
    const chart = page.getByRole('application', { name: 'New conversations, day by day' })
    const status = chart.getByRole('status')
    const readout = page.locator('.report-readout')

    await figure.focus()
    await page.keyboard.press('Tab')
    await expect(chart).toBeFocused()
    await expect(status).toHaveText(/: 6\. 28 days earlier: 0\.$/)
    await page.keyboard.press('ArrowLeft')
    await expect(status).toHaveText(/: 0\. 28 days earlier: 0\.$/)
    await page.keyboard.press('Home')
    const first = await status.textContent()
    await page.keyboard.press('End')
    await expect(status).not.toHaveText(first ?? '')
    await expect(readout).toBeInViewport({ ratio: 1 })
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(readout).toHaveCount(0)

    const box = await chart.boundingBox()
    if (box === null) throw new Error('The chart is not shown.')
    await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2)
    await expect(readout).toContainText(/, \w{3} \d+6/)
    const shown = await readout.boundingBox()
    // It is above the lines, and inside the chart's sides.
    expect(shown && shown.y + shown.height).toBeLessThanOrEqual(box.y + 8)
    expect(shown && shown.x + shown.width).toBeLessThanOrEqual(box.x + box.width + 1)
    await page.mouse.move(box.x + box.width / 2, box.y + box.height + 60)
    await expect(readout).toHaveCount(0)

    const hours = page.getByRole('application', { name: 'Messages from visitors, hour by hour' })
    await hours.hover({ position: { x: 40, y: 10 } })
    await expect(readout).toHaveText(/^Monday, midnight to 1 AM\d+ messages?$/)
    expect(admin.complaints).toEqual([])
  },
)

test('now tells who waits by push, and never asks by itself', async ({ browser, product }) => {
  // No day ends within the hours of this test: it would be read.
  const timeZone = new Date().getUTCHours() < 12 ? 'Etc/GMT-6' : 'Etc/GMT+6'
  await product.configure({
    hours: { timeZone, spans: [{ day: 1, from: '00:00', to: '24:00' }], closed: [] },
  })
  const admin = await Admin.signIn(browser, product)
  const { page } = admin
  await page.clock.install()
  let reads = 0
  let facts = 0
  let connections = 0
  let handshakes = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/reports/now')) reads += 1
  })
  page.on('websocket', (socket) => {
    connections += 1
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"now:changed"')) facts += 1
      if (String(payload).startsWith('40/')) handshakes += 1
    })
  })
  await admin.goto('/dashboard/reports')
  const now = page.getByRole('region', { name: 'Now' })
  const status = now.getByRole('status')
  await expect(value(page, 'Waiting')).toHaveText('0')
  await expect(value(page, 'Admins online')).toHaveText('1')

  const visitor = await Visitor.arrive(browser, product)
  await visitor.openChat()
  await visitor.send('Is someone there?')
  const clientId = await visitor.clientId()
  const link = now.getByRole('link', { name: aliasOf(clientId) })
  await expect(link).toHaveAttribute('href', `/dashboard/messages/${clientId}`)
  await expect(value(page, 'Waiting')).toHaveText('1')
  await product.callAsAdmin('PATCH', `/chat/admin/${clientId}/visitor`, { name: 'Ada' })
  const named = now.getByRole('link', { name: 'Ada' })
  await expect(named).toBeVisible()
  await expect(value(page, 'Visitors online')).toHaveText('1')
  await expect(status).toHaveText('1 conversation is waiting for an answer.')
  expect(await violationsInBothSchemes(page)).toEqual([])

  // A timer would read each time that half an hour passes. The heartbeat of the socket is late then, so it connects again.
  for (let times = 0; times < 4; times += 1) {
    const before = handshakes
    await page.clock.fastForward('30:00')
    await expect.poll(() => handshakes).toBeGreaterThan(before)
  }

  await product.reply(clientId, 'Yes, how can I help?')
  await expect(named).toHaveCount(0)
  await expect(value(page, 'Waiting')).toHaveText('0')
  await expect(status).toHaveText('No one is waiting for an answer.')
  // One to begin with, one after each connection, because facts may have been missed, and one after each fact.
  expect(facts).toBeGreaterThanOrEqual(2)
  expect(reads).toBeLessThanOrEqual(1 + connections + facts)
  expect(admin.complaints).toEqual([])
})
