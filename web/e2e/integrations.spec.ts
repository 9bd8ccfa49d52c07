import type { EndpointList } from '@proctorpass/shared/schemas/endpoint'
import { type WebhookReceiver, webhookReceiver } from '../../api/test/webhook-receiver.ts'
import { violations } from './axe.ts'
import { expect, freshTest } from './test.ts'

const test = freshTest.extend<{ receiver: WebhookReceiver }>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that Playwright requires
  receiver: async ({}, use) => {
    const receiver = await webhookReceiver()
    await use(receiver)
    await receiver.close()
  },
  env: async ({ receiver }, use) => use({ WEBHOOK_HOSTS: receiver.host }),
})

test('an admin adds an endpoint, tests it, sees what it answered, and replays events', async ({
  admin,
  receiver,
}) => {
  const { page } = admin
  await admin.goto('/dashboard/integrations')
  await expect(page.getByText('No endpoints yet')).toBeVisible()
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const form = page.getByRole('dialog', { name: 'Add endpoint' })
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('Name is required')).toBeVisible()
  await form.getByLabel('Name').fill('CRM')
  await form.getByLabel('URL').fill('http://crm.example.com/hook')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('Use HTTPS. Only hosts in WEBHOOK_HOSTS may use HTTP.')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await form.getByLabel('URL').fill(receiver.url)
  await form.getByLabel('A contact message arrived').uncheck()
  await form.getByRole('button', { name: 'Save' }).click()

  const once = page.getByRole('dialog', { name: 'Secret for CRM' })
  await expect(once.getByText("It won't be shown again.")).toBeVisible()
  receiver.secrets.push((await once.locator('pre').textContent()) ?? '')
  expect(await violations(page)).toEqual([])
  await page.context().grantPermissions(['clipboard-write'])
  await once.getByRole('button', { name: 'Copy' }).click()
  await expect(once.getByText('Copied')).toBeVisible()
  await once.getByRole('button', { name: 'Done' }).click()

  const card = page.getByRole('article', { name: 'CRM' })
  receiver.answer((_event, response) => response.writeHead(500).end('out of order'))
  await card.getByRole('button', { name: 'Send a test' }).click()
  await card.locator('summary', { hasText: 'Deliveries' }).click()
  const delivery = card.getByRole('listitem').filter({ hasText: 'Test' })
  await delivery.locator('summary').click({ timeout: 20_000 })
  await expect(delivery.getByText('Status 500 after')).toBeVisible()
  await expect(delivery.getByText('out of order')).toBeVisible()
  expect(receiver.received[0]?.body.type).toBe('test')
  expect(await violations(page)).toEqual([])

  await card.getByRole('button', { name: 'Replay' }).click()
  const replay = page.getByRole('dialog', { name: 'Replay events to CRM' })
  await replay.getByLabel('From number').fill('1')
  await replay.getByLabel('To number').fill('2')
  await replay.getByRole('button', { name: 'Replay' }).click()
  await expect(replay.getByText('There are no events with these numbers yet')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await replay.getByRole('button', { name: 'Cancel' }).click()

  await card.getByRole('button', { name: 'Disable' }).click()
  await expect(card.getByText('Disabled', { exact: true })).toBeVisible()
  await card.getByRole('button', { name: 'Enable' }).click()
  await expect(card.getByText('Fine', { exact: true })).toBeVisible()
  await card.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No endpoints yet')).toBeVisible()
})

test('two admins who change one endpoint lose nothing', async ({ admin, product, receiver }) => {
  const { page } = admin
  await product.callAsAdmin('POST', '/endpoints', { name: 'CRM', url: receiver.url, types: [], notes: false })
  const [stored] = (await product.callAsAdmin<EndpointList>('GET', '/endpoints')).endpoints
  await admin.goto('/dashboard/integrations')
  const card = page.getByRole('article', { name: 'CRM' })
  await card.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit endpoint' })
  await form.getByLabel('Name').fill('Mine')
  const path = `/endpoints/${stored?._id}`
  await product.callAsAdmin('PATCH', path, { name: 'Theirs', version: stored?.version })
  await form.getByRole('button', { name: 'Save' }).click()

  const conflict = form.getByRole('region', {
    name: 'Someone else saved this endpoint while you were editing',
  })
  await expect(conflict).toBeFocused()
  await expect(conflict).toContainText(`Saved version: Theirs, ${receiver.url}`)
  await expect(form.getByLabel('Name')).toHaveValue('Mine')
  expect(await violations(page)).toEqual([])
  await conflict.getByRole('button', { name: 'Use saved version' }).click()
  await expect(form.getByLabel('Name')).toHaveValue('Theirs')
  await form.getByLabel('Name').fill('Both')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('article', { name: 'Both' })).toBeVisible()
})

test('an admin adds an API key, which is shown once, and deletes it', async ({ admin, product }) => {
  const { page } = admin
  await admin.goto('/dashboard/integrations')
  await page.getByRole('button', { name: 'Add API key' }).click()
  const form = page.getByRole('dialog', { name: 'Add API key' })
  await form.getByLabel('Name').fill('Nightly report')
  await form.getByLabel(/^Read conversations/).uncheck()
  await form.getByRole('button', { name: 'Add API key' }).click()
  await expect(form.getByText('Choose at least one permission')).toBeVisible()
  await form.getByLabel(/^Read conversations/).check()
  expect(await violations(page)).toEqual([])
  await form.getByRole('button', { name: 'Add API key' }).click()

  const once = page.getByRole('dialog', { name: 'API key Nightly report' })
  const key = (await once.locator('pre').textContent()) ?? ''
  expect(key).toMatch(/^ppk_[\w-]{43}$/)
  await once.getByRole('button', { name: 'Done' }).click()
  const card = page.getByRole('article', { name: 'Nightly report' })
  await expect(card.getByText('Never used')).toBeVisible()
  const answer = await page.request.get(product.url('/api/events'), {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(answer.status()).toBe(200)
  await page.reload()
  await expect(card.getByText('Used')).toBeVisible()
  await card.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No API keys yet')).toBeVisible()
})
