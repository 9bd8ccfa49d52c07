import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SiteList } from '@proctorpass/shared/schemas/site'
import { violations } from './axe.ts'
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
