import { startSmtpServer, type TestSmtpServer } from '../../api/test/smtp-server.ts'
import { violations } from './axe.ts'
import { expect, freshTest } from './test.ts'

const test = freshTest.extend<{ smtp: TestSmtpServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures.
  smtp: async ({}, use) => {
    const smtp = await startSmtpServer()
    await use(smtp)
    await smtp.close()
  },
  env: async ({ smtp }, use) => use({ SMTP_URL: smtp.url, MAIL_FROM: 'Support <support@example.com>' }),
})

test('the weekly email needs an email, and is turned on in a time zone', async ({ admin, product }) => {
  const { page } = admin
  await page.setViewportSize({ width: 390, height: 844 })
  await admin.goto('/dashboard/account')
  const weekly = page.getByRole('switch', { name: 'Weekly email' })
  await expect(weekly).toBeDisabled()
  await expect(weekly).toHaveAccessibleDescription('To turn it on, add your email to your profile.')
  await product.callAsAdmin('PATCH', '/account', { email: 'maria@example.com' })
  await page.reload()
  await weekly.click()
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.selectOption('Pacific/Auckland')
  await expect(page.getByText('Time zone saved')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.reload()
  await expect(weekly).toBeChecked()
  await expect(zone).toHaveValue('Pacific/Auckland')
})

test('the link in the weekly email asks for a press, without scripts', async ({ browser, product }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 320, height: 568 } })
    const page = await context.newPage()
    await page.goto(product.url('/api/account/weekly/unsubscribe/unknown'))
    expect(await violations(page)).toEqual([])
    await context.close()
  }
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(product.url('/api/account/weekly/unsubscribe/unknown'))
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.getByRole('heading', { name: 'This link is unknown' })).toBeVisible()
  await context.close()
})
