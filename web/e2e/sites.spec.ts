import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SiteList } from '@proctorpass/shared/schemas/site'
import { violations } from './axe.ts'
import { Widget } from './embed-hosts.ts'
import { expect, test } from './test.ts'

/** A website on another origin: `localhost` is one for browsers, and the server of the chat is 127.0.0.1. */
async function website(html: () => string) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html())
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('an admin adds a website, copies its tag and tests it', async ({ admin, product }) => {
  const { page } = admin
  let tag = ''
  await using shop = await website(
    () => `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>${tag}`,
  )
  await admin.goto('/dashboard/sites')
  await expect(page.getByText('No websites yet')).toBeVisible()
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Add website' }).click()
  const form = page.getByRole('form', { name: 'Add website' })
  await expect(form.getByText('with a contrast of')).toBeVisible()
  await expect(form.getByText('too weak')).toHaveCount(0)
  await form.getByLabel('Name', { exact: true }).fill('Shop')
  await form.getByLabel('Addresses').fill('http://shop.example\nhttps://www.shop.example')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('"http://shop.example" must begin with https')).toBeVisible()
  await form.getByLabel('Display name').fill('x'.repeat(61))
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('Use 60 characters or fewer')).toBeVisible()
  await form.getByLabel('Display name').fill('Riverside Tutoring')
  await form.getByLabel('Greeting in English').fill('Hi!\nWhich lesson are you looking for?')
  await form.getByLabel('Color').fill('#ffffff')
  await expect(form.getByText('This color has too little contrast on white pages')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await form.getByLabel('Color').fill('#0a6e39')
  await form.getByLabel('Addresses').fill(shop.origin)
  await form.getByRole('button', { name: 'Save' }).click()

  const card = page.getByRole('article', { name: 'Shop' })
  // Waits until the website is saved.
  tag = (await card.locator('pre').first().textContent()) ?? ''
  const { sites } = await product.callAsAdmin<SiteList>('GET', '/sites')
  const [site] = sites
  expect(site).toMatchObject({
    displayName: 'Riverside Tutoring',
    greeting: { en: 'Hi!\nWhich lesson are you looking for?', zh: '' },
  })
  expect(tag).toContain(`/embed/${site?._id}.js`)
  await card.getByText('Install and test').click()
  await card.getByRole('button', { name: 'Add secret' }).click()
  await expect(card.getByText(/^pps_[\w-]{43}$/)).toBeVisible()
  expect(await violations(page)).toEqual([])

  const opened = page.context().waitForEvent('page')
  await card.getByRole('button', { name: 'Test this site' }).click()
  const tested = await opened
  await expect(card.getByText(`All well: the chat works on ${shop.origin}.`)).toBeVisible({ timeout: 20_000 })
  await tested.close()

  await card.getByRole('button', { name: 'Delete Shop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No websites yet')).toBeVisible()
})

test("an admin writes a website's words in German, and a visitor with a German browser reads them", async ({
  admin,
  browser,
  product,
}) => {
  const { page } = admin
  await product.configure({ languages: ['en', 'zh', 'de', 'fr'] })
  let tag = ''
  await using shop = await website(
    () => `<!doctype html><html lang="de"><title>Laden</title><h1>Laden</h1>${tag}`,
  )
  await admin.goto('/dashboard/sites')
  await page.getByRole('button', { name: 'Add website' }).click()
  const form = page.getByRole('form', { name: 'Add website' })
  await form.getByLabel('Name', { exact: true }).fill('Laden')
  await form.getByLabel('Addresses').fill(shop.origin)
  await form.getByLabel('Greeting in English').fill('Hi! Which lesson are you looking for?')
  const others = form.getByText('In other languages (2)')
  await others.first().click()
  await form.getByLabel('Greeting in German').fill('x'.repeat(1_001))
  await form.getByLabel('Greeting in French').fill(' ')
  await others.last().click()
  await form.getByLabel('Label in German').fill('a\u202eb')
  expect(await violations(page)).toEqual([])
  for (const each of await others.all()) await each.click()
  await expect(form.getByLabel(/in German/)).toHaveCount(2)
  for (const field of await form.getByLabel(/in German/).all()) await expect(field).toBeHidden()
  await form.getByRole('button', { name: 'Save' }).click()
  // The errors are on the screen although their fields were not.
  await expect(form.getByText('Use 1,000 characters or fewer')).toBeVisible()
  await expect(form.getByLabel('Greeting in German')).toBeFocused()
  await expect(form.getByLabel('Label in German')).toBeVisible()
  await form.getByLabel('Label in German').fill('Fragen?')
  await form.getByLabel('Greeting in German').fill('Hallo!\nWelche Stunde suchen Sie?')
  await form.getByRole('button', { name: 'Save' }).click()
  const card = page.getByRole('article', { name: 'Laden' })
  tag = (await card.locator('pre').first().textContent()) ?? ''
  const { sites } = await product.callAsAdmin<SiteList>('GET', '/sites')
  expect(sites[0]).toMatchObject({
    greeting: {
      en: 'Hi! Which lesson are you looking for?',
      zh: '',
      de: 'Hallo!\nWelche Stunde suchen Sie?',
    },
    look: { label: { en: '', zh: '', de: 'Fragen?' } },
  })
  expect(Object.keys(sites[0]?.greeting ?? {})).not.toContain('fr')

  for (const [locale, name, greeting] of [
    ['de-AT', 'Fragen?', 'Hallo!\nWelche Stunde suchen Sie?'],
    ['fr', 'Live chat', 'Hi! Which lesson are you looking for?'],
  ] as const) {
    const context = await browser.newContext({ locale, viewport: { width: 1280, height: 800 } })
    const widget = new Widget(await context.newPage())
    await widget.page.goto(shop.origin)
    await expect.poll(() => widget.launcher()).toMatchObject({ name })
    await widget.press()
    await widget.opened()
    await expect(widget.frame.locator('.chat-greeting .chat-text')).toHaveText(greeting)
    await expect(widget.frame.getByRole('dialog')).toHaveAttribute('lang', locale.slice(0, 2))
    await context.close()
  }

  await card.getByRole('button', { name: 'Edit Laden' }).click()
  const edited = page.getByRole('form', { name: 'Edit website' })
  await edited.getByText('In other languages (2)').first().click()
  await expect(edited.getByLabel('Greeting in German')).toHaveValue('Hallo!\nWelche Stunde suchen Sie?')
  await edited.getByLabel('Greeting in German').fill('')
  await edited.getByRole('button', { name: 'Save' }).click()
  await expect(edited).toHaveCount(0)
  const { sites: later } = await product.callAsAdmin<SiteList>('GET', '/sites')
  expect(later[0]?.greeting).toEqual({ en: 'Hi! Which lesson are you looking for?', zh: '' })
  expect(later[0]?.look.label.de).toBe('Fragen?')
  await product.callAsAdmin('DELETE', `/sites/${later[0]?._id}`)
})
