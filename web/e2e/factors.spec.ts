import type { CDPSession, Page } from '@playwright/test'
import { totpCode } from '../../api/src/auth/totp.ts'
import { violationsInBothSchemes } from './axe.ts'
import { ADMIN, type FreshProduct } from './product.ts'
import { expect, freshTest as test } from './test.ts'

/** Browsers have passkeys at localhost, and not at 127.0.0.1. */
const at = (product: FreshProduct, path: string) => product.url(path).replace('127.0.0.1', 'localhost')

/** A phone's authenticator, which verifies its owner and keeps passkeys. */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { cdp, authenticatorId }
}

async function givePassword(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(ADMIN.userName)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/**
 * The virtual authenticator chooses a suggestion of autofill at once. Without autofill, a person has to press the button.
 */
async function withoutAutofill(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false
  })
}

const signedIn = (page: Page) => expect(page.getByRole('link', { name: /^Support/ })).toBeVisible()

async function signOut(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' })
  if (await menu.isVisible()) await menu.click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Admin area' })).toBeVisible()
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('the sign-in page says in one line where passkeys work', async ({ page, product }) => {
  await page.goto(`${product.origin}/login`)
  const sentence = page.getByText(/^To use a passkey, open/)
  await expect(sentence).toBeVisible()
  const { height } = (await sentence.boundingBox()) as { height: number }
  expect(height).toBeLessThan(
    2 * Number.parseFloat(await sentence.evaluate((p) => getComputedStyle(p).lineHeight)),
  )
})

test('a passkey is added, signs in alone and after the password, is renamed and removed', async ({
  page,
  product,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await withoutAutofill(page)
  await addAuthenticator(page)
  await page.goto(at(product, '/login'))
  await givePassword(page)
  await signedIn(page)
  await page.goto(at(product, '/dashboard/account'))
  const passkeys = section(page, 'Passkeys')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(passkeys.getByRole('listitem')).toHaveText(/Chrome on Linux.*never used/s)
  await expect(section(page, 'Recovery codes').getByRole('listitem')).toHaveCount(10)
  expect(await violationsInBothSchemes(page)).toEqual([])

  await passkeys.getByRole('button', { name: 'Rename Chrome on Linux' }).click()
  await expect(passkeys.getByLabel('Name of the passkey')).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('My phone')
  await page.keyboard.press('Enter')
  await expect(passkeys.getByRole('listitem')).toContainText('My phone')
  await expect(passkeys.getByRole('button', { name: 'Rename My phone' })).toBeFocused()

  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await signedIn(page)
  await signOut(page)
  await givePassword(page)
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await signedIn(page)

  await page.goto(at(product, '/dashboard/account'))
  await passkeys.getByRole('button', { name: 'Remove My phone' }).click()
  await expect(page.getByText("You'll sign in with only your password.")).toBeVisible()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(passkeys.getByRole('listitem')).toHaveCount(0)
  await expect(section(page, 'Recovery codes')).toHaveCount(0)
})

test('a passkey whose counter went back does not sign in, and a canceled question can be repeated', async ({
  page,
  product,
}) => {
  await withoutAutofill(page)
  const { cdp, authenticatorId } = await addAuthenticator(page)
  await page.goto(at(product, '/login'))
  await givePassword(page)
  await signedIn(page)
  await page.goto(at(product, '/dashboard/account'))
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(section(page, 'Passkeys').getByRole('listitem')).toHaveCount(1)
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  const [passkey] = credentials
  if (passkey === undefined) throw new Error('The authenticator has no passkey.')
  await signOut(page)

  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await button.click()
  await expect(page.getByText('No passkey was used.')).toBeVisible()
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await button.click()
  await signedIn(page)
  await signOut(page)

  // As a copy of the authenticator would have it.
  await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: passkey.credentialId })
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...passkey, signCount: 0 } })
  await button.click()
  await expect(page.getByText("That passkey didn't work.")).toBeVisible()
})

test('autofill offers a passkey on the page of the sign-in', async ({ page, product }) => {
  await addAuthenticator(page)
  await page.goto(at(product, '/login'))
  await givePassword(page)
  await signedIn(page)
  await page.goto(at(product, '/dashboard/account'))
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(section(page, 'Passkeys').getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signedIn(page)
})

test('an address without passkeys names the one that has them', async ({ page, product }) => {
  await page.goto(product.url('/login'))
  const link = page.getByRole('link', { name: at(product, '') })
  await expect(link).toHaveAttribute('href', at(product, '/login'))
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toHaveCount(0)
  await givePassword(page)
  await signedIn(page)
  await page.goto(product.url('/dashboard/account'))
  await expect(section(page, 'Passkeys').getByRole('link', { name: at(product, '') })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toHaveCount(0)
})

test('an authenticator app is set up, asked for, and replaced by a recovery code', async ({
  page,
  product,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(product.url('/login'))
  await givePassword(page)
  await signedIn(page)
  await page.goto(product.url('/dashboard/account'))
  const app = section(page, 'Authenticator app')
  await app.getByRole('button', { name: 'Set up app' }).click()
  await expect(app.getByRole('img', { name: 'QR code for the key' })).toBeVisible()
  const secret = ((await app.locator('.totp-key').textContent()) ?? '').replace(/\s/g, '')
  expect(await violationsInBothSchemes(page)).toEqual([])
  const step = () => Math.floor(Date.now() / 30_000)
  const first = step()
  const code = app.getByLabel('Code from the app')
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code')
  await code.fill('000000')
  await page.keyboard.press('Enter')
  await expect(app.getByText("That code isn't right.")).toBeVisible()
  await code.fill(totpCode(secret, first))
  await page.keyboard.press('Enter')

  const codes = section(page, 'Recovery codes')
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  expect(await violationsInBothSchemes(page)).toEqual([])
  const [recovery = ''] = await codes.getByRole('listitem').allTextContents()
  const download = page.waitForEvent('download')
  await codes.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt')
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('main')).toHaveText(/^Recovery codes for \S+:\d+/, { useInnerText: true })
  await page.emulateMedia({ media: 'screen' })

  await signOut(page)
  await givePassword(page)
  const asked = page.getByLabel('Code from your authenticator app')
  await expect(page.getByLabel('Username')).toBeHidden()
  await expect(asked).toBeFocused()
  await expect(asked).toHaveAttribute('autocomplete', 'one-time-code')
  expect(await violationsInBothSchemes(page)).toEqual([])
  // Used already.
  await page.keyboard.type(totpCode(secret, first))
  await page.keyboard.press('Enter')
  await expect(page.getByText("That code isn't right, or it was used before.")).toBeVisible()
  await asked.fill(totpCode(secret, Math.max(first + 1, step())))
  await page.keyboard.press('Enter')
  await signedIn(page)

  await signOut(page)
  await givePassword(page)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  await page.keyboard.type(recovery.toUpperCase())
  await page.keyboard.press('Enter')
  await signedIn(page)
  await page.goto(product.url('/dashboard/account'))
  await expect(page.getByText('You have 9 recovery codes left.')).toBeVisible()
})

test('a passkey confirms who uses a session that was confirmed long ago', async ({ page, product }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await withoutAutofill(page)
  await addAuthenticator(page)
  await page.goto(at(product, '/login'))
  await givePassword(page)
  await signedIn(page)
  await page.goto(at(product, '/dashboard/account'))
  await section(page, 'Passkeys').getByRole('button', { name: 'Add a passkey' }).click()
  const codes = section(page, 'Recovery codes')
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  const [first] = await codes.getByRole('listitem').allTextContents()
  product.outdateConfirmations()
  await codes.getByRole('button', { name: 'Make new codes' }).click()
  const asking = page.getByRole('dialog', { name: "Confirm it's you" })
  await expect(asking.getByRole('button', { name: 'Use a passkey' })).toBeVisible()
  expect(await violationsInBothSchemes(page)).toEqual([])
  await asking.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(asking).toHaveCount(0)
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  await expect(codes.getByText(first ?? '')).toHaveCount(0)
})
