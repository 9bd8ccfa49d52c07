import type { Site } from '@proctorpass/shared/schemas/site'
import { violations } from './axe.ts'
import { expect, type Hosts, test, Widget } from './embed-hosts.ts'

const NAME = 'Riverside Tutoring'
const GREETING = { en: 'Hi!\nWhich <b>lesson</b> are you looking for?', zh: '您好！您想上哪门课？' }

async function openOn(widget: Widget, hosts: Hosts, fields: object): Promise<Site> {
  const { data } = await hosts.product.callAsAdmin<{ data: Site }>('POST', '/sites', {
    ...{ name: 'Words', origins: [hosts.origin('shop.test')] },
    ...fields,
  })
  hosts.serve('/words', hosts.tag.replace(hosts.site._id, data._id))
  await widget.page.goto(hosts.url('/words'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await widget.press()
  await widget.opened()
  return data
}

const greetingOf = ({ frame }: Widget) => frame.locator('.chat-greeting')

test("a visitor reads the website's own name and greeting", async ({ hosts, widget }) => {
  const { _id } = await openOn(widget, hosts, { displayName: NAME, greeting: GREETING })
  await expect(widget.frame.getByRole('heading', { name: NAME, exact: true })).toBeVisible()
  await expect(widget.frame.getByRole('dialog', { name: NAME, exact: true })).toBeVisible()
  expect(await widget.frame.title()).toBe(NAME)
  await expect(greetingOf(widget).locator('.chat-text')).toHaveText(GREETING.en)
  await expect(greetingOf(widget).locator('.chat-initial')).toHaveText('R')
  await expect(greetingOf(widget).getByText(`${NAME}:`)).toHaveCount(1)

  // Answers of an admin without a display name have the website's name too.
  await widget.box.fill('hello')
  await widget.box.press('Enter')
  const clientId = await widget.frame.evaluate((id) => localStorage.getItem(`site:${id}:clientId`) ?? '', _id)
  await expect.poll(() => hosts.product.texts(clientId)).toEqual(['hello'])
  await hosts.product.reply(clientId, 'an answer')
  await expect(widget.frame.getByText('an answer')).toBeVisible()
  await expect(widget.frame.locator('.chat-author')).toHaveText([NAME])
  expect(await violations(widget.frame)).toEqual([])
})

test('a visitor with a Chinese browser reads the Chinese greeting, and the English one if there is none', async ({
  hosts,
}) => {
  const context = await hosts.browser.newContext({ locale: 'zh-CN', viewport: { width: 1280, height: 800 } })
  const widget = new Widget(await context.newPage())
  await openOn(widget, hosts, { displayName: NAME, greeting: GREETING })
  await expect(greetingOf(widget).locator('.chat-text')).toHaveText(GREETING.zh)
  await openOn(widget, hosts, { greeting: { ...GREETING, zh: '' } })
  await expect(greetingOf(widget).locator('.chat-text')).toHaveText(GREETING.en)
  await context.close()
})

test('without own words, a visitor reads the brand and the greeting from the settings', async ({
  hosts,
  widget,
}) => {
  const settings = await hosts.product.callAsAdmin<object>('GET', '/settings')
  const greeting = { en: 'Hello from the settings', zh: '' }
  await hosts.product.callAsAdmin('PUT', '/settings', { ...settings, greeting })
  await openOn(widget, hosts, {})
  const title = 'Welcome to ProctorPass, Solution For Proctored Exams'
  await expect(widget.frame.getByRole('heading', { name: title })).toBeVisible()
  await expect(greetingOf(widget).locator('.chat-text')).toHaveText('Hello from the settings')
  await expect(greetingOf(widget).locator('.chat-initial')).toHaveText('S')
})
