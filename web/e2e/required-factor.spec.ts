import type { Page } from '@playwright/test'
import type { RecoveryCodes, TotpSetup } from '@proctorpass/shared/schemas/factors'
import type { InvitedAdmin, Team } from '@proctorpass/shared/schemas/team'
import { totpCode } from '../../api/src/auth/totp.ts'
import { violationsInBothSchemes } from './axe.ts'
import { Admin } from './people.ts'
import type { Product } from './product.ts'
import { expect, someClientId, freshTest as test } from './test.ts'

const codeNow = (secret: string) => totpCode(secret, Math.floor(Date.now() / 30_000))

/** The first admin has a factor, which turning the requirement on needs. */
async function setUpApp(product: Product): Promise<void> {
  const { secret } = await product.callAsAdmin<TotpSetup>('POST', '/account/totp')
  await product.callAsAdmin<RecoveryCodes>('POST', '/account/totp/confirm', { code: codeNow(secret) })
}

const onlineNow = async (product: Product) => {
  const { admins } = await product.callAsAdmin<Team>('GET', '/team')
  return admins.filter(({ online }) => online).map(({ userName }) => userName)
}

const note = (page: Page) => page.getByText('Your team requires a second factor.')

test('an open dashboard of an admin without a second factor is led to its setup, and works on after it', async ({
  browser,
  product,
}) => {
  const { invite } = await product.callAsAdmin<InvitedAdmin>('POST', '/team', { userName: 'anna' })
  const anna = new Admin(
    await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage(),
    product,
  )
  const { page } = anna
  // The address that the server knows of itself is another one here.
  await anna.goto(new URL(invite).pathname + new URL(invite).hash)
  await page.getByLabel('New password').fill('marble-teapot-horizon')
  await page.getByRole('button', { name: 'Set password and sign in' }).click()
  await page.waitForURL(/\/dashboard(?:\/chats)?$/)
  await anna.goto('/dashboard/chats')
  await expect.poll(() => onlineNow(product)).toContain('anna')

  await setUpApp(product)
  await product.configure({ secondFactor: 'required' })
  // Open sockets are cut within 15 seconds, and then the page asks the server.
  await expect(note(page)).toBeVisible({ timeout: 60_000 })
  // Another request may have told the page before its socket was cut.
  await expect.poll(() => onlineNow(product), { timeout: 60_000 }).not.toContain('anna')
  expect(await violationsInBothSchemes(page)).toEqual([])
  await page.getByRole('link', { name: /^Support/ }).click()
  await expect(note(page)).toBeVisible()
  await expect(page).toHaveURL(product.url('/dashboard/account'))

  await page.getByRole('button', { name: 'Set up app' }).click()
  const secret = ((await page.locator('.totp-key').textContent()) ?? '').replace(/\s/g, '')
  await page.getByLabel('Code from the app').fill(codeNow(secret))
  await page.keyboard.press('Enter')
  await expect(page.locator('.recovery-codes').getByRole('listitem')).toHaveCount(10)
  await expect(note(page)).toBeHidden()
  expect(await violationsInBothSchemes(page)).toEqual([])
  // Without a reload.
  await expect.poll(() => onlineNow(product)).toContain('anna')

  await page.getByRole('link', { name: 'go to the conversations' }).click()
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  await expect(anna.row(clientId)).toBeVisible()
})
