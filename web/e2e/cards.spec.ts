import type { Browser } from '@playwright/test'
import type { LiveConfig } from '@proctorpass/shared/schemas/config'
import type { Card } from '@proctorpass/shared/schemas/settings'
import { violations } from './axe.ts'
import { Visitor } from './people.ts'
import type { Product } from './product.ts'
import { expect, test } from './test.ts'

const CARD: Card = {
  id: 'webcam',
  path: '/',
  afterSeconds: 5,
  language: null,
  onlineOnly: false,
  text: { en: 'Not sure about your webcam?', zh: '' },
  greeting: { en: 'Which webcam do you have?', zh: '' },
}

/** A visitor whose clock the test moves on, once the page follows the rules of the settings. */
async function arrive(browser: Browser, product: Product, path = '/'): Promise<Visitor> {
  const visitor = new Visitor(await (await browser.newContext()).newPage(), product)
  await visitor.page.clock.install()
  await visitor.goto(path)
  await expect.poll(() => seen(visitor)).not.toBeNull()
  return visitor
}

async function isAdminOnline(product: Product): Promise<boolean> {
  const answer = await fetch(product.url('/api/config'))
  return ((await answer.json()) as LiveConfig).chat.adminOnline
}

/** What the browser keeps of cards: written when a page begins to follow the rules. */
const seen = (visitor: Visitor) => visitor.page.evaluate(() => localStorage.getItem('chat:cards'))

test('a card comes at its time and opens the chat with its greeting, and the conversation carries it', async ({
  browser,
  product,
  admin,
}) => {
  await product.configure({ cards: [{ ...CARD, onlineOnly: true }] })
  await expect.poll(() => isAdminOnline(product)).toBe(true)
  const visitor = await arrive(browser, product)
  const { page } = visitor
  await expect(visitor.card).toContainText('Hi! Tell us')
  await page.clock.runFor(4_000)
  await expect(visitor.card).toHaveText('Not sure about your webcam?')
  await expect(page.locator('[aria-live=polite]').filter({ has: visitor.card })).toHaveCount(1)
  expect(await violations(page)).toEqual([])
  await visitor.card.getByRole('button', { name: 'Not sure about your webcam?' }).press('Enter')
  await expect(visitor.log).toContainText('Which webcam do you have?')
  await expect(visitor.box).toBeFocused()
  expect(await product.stored(await visitor.clientId())).toEqual([])

  await visitor.send('One from 2012')
  const clientId = await visitor.clientId()
  await expect.poll(async () => (await product.known(clientId)).card).toBe('webcam')
  await admin.view(clientId)
  const about = admin.page.getByRole('region', { name: 'Visitor', exact: true })
  await expect(about).toContainText('Card shown before the first message')
  await expect(about).toContainText('Not sure about your webcam?')
  expect(await violations(admin.page)).toEqual([])
  await page.reload()
  await expect(visitor.log).toContainText('Which webcam do you have?')
  expect([...visitor.complaints, ...admin.complaints]).toEqual([])
})

test('a card does not come while something is written, and once dismissed it stays away', async ({
  browser,
  product,
}) => {
  await product.configure({ cards: [{ ...CARD, path: '*' }] })
  const visitor = await arrive(browser, product, '/contact')
  const { page } = visitor
  const read: string[] = []
  page.on('request', (request) => request.url().endsWith('/api/config') && read.push(request.url()))
  await page.getByLabel('Message').fill('Dear team')
  await page.clock.runFor(60_000)
  // Before a card is shown the settings are read again.
  expect(read).toEqual([])

  await page.getByLabel('Message').fill('')
  await page.getByRole('banner').getByRole('link', { name: 'ProctorPass' }).first().click()
  await page.waitForURL((url) => url.pathname === '/')
  await expect(visitor.card).toHaveText('Not sure about your webcam?')
  await visitor.card.getByRole('button', { name: 'Dismiss' }).click()
  await expect(visitor.card).toHaveCount(0)
  await expect(visitor.launcher).toBeFocused()

  await page.clock.fastForward('25:00:00')
  const before = await seen(visitor)
  // The page writes it without the space.
  await page.evaluate((known) => localStorage.setItem('chat:cards', ` ${known}`), before)
  await page.reload()
  await expect.poll(() => seen(visitor)).toBe(before)
  read.length = 0
  await page.clock.runFor(60_000)
  expect(read).toEqual([])
  await expect(visitor.card).toHaveCount(0)
  expect(visitor.complaints).toEqual([])
})
