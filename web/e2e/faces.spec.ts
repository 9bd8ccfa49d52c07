import type { Browser } from '@playwright/test'
import type { Account, Face } from '@proctorpass/shared/schemas/account'
import type { InvitedAdmin } from '@proctorpass/shared/schemas/team'
import { violations, violationsInBothSchemes } from './axe.ts'
import { test as embedTest } from './embed-hosts.ts'
import { Admin, Visitor } from './people.ts'
import { picture } from './pictures.ts'
import type { Product } from './product.ts'
import { expect, freshTest as test } from './test.ts'

const PASSWORD = 'marble-teapot-horizon'

/** Adds an admin, who then has the dashboard open. */
async function join(browser: Browser, product: Product, userName: string, displayName: string) {
  const { invite } = await product.callAsAdmin<InvitedAdmin>('POST', '/team', { userName, displayName })
  const admin = new Admin(await (await browser.newContext()).newPage(), product)
  await admin.goto(new URL(invite).pathname + new URL(invite).hash)
  await admin.page.getByLabel('New password').fill(PASSWORD)
  await admin.page.getByRole('button', { name: 'Set password and sign in' }).click()
  await admin.page.waitForURL(/\/dashboard(?:\/chats)?$/)
  return admin
}

/** Gives the first admin a picture. */
async function giveFace(product: Product): Promise<string> {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(await picture(300, 200))], 'me.png', { type: 'image/png' }))
  const { face } = await product.sendAsAdmin<Face>('PUT', '/account/face', form)
  return face ?? ''
}

declare global {
  interface Window {
    shifted?: number
  }
}

const team = ({ page }: Visitor) => page.locator('.chat-team')
const faces = (visitor: Visitor) => team(visitor).getByRole('img')

test('visitors see who is on duty while the team is shown, those online first', async ({
  browser,
  product,
}) => {
  await product.callAsAdmin('PATCH', '/account', { displayName: 'Ada Lovelace' })
  const face = await giveFace(product)
  const grace = await join(browser, product, 'grace', 'Grace Hopper')
  const visitor = await Visitor.arrive(browser, product)
  await visitor.openChat()
  await expect(team(visitor)).toHaveCount(0)

  await product.configure({ showTeam: true })
  const comeBack = () => visitor.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await comeBack()
  await expect(team(visitor)).toHaveText('GGrace Hopper and Ada Lovelace')
  await expect(faces(visitor)).toHaveCount(2)
  await expect(faces(visitor).nth(0)).toHaveAccessibleName('Grace Hopper')
  await expect(faces(visitor).nth(1)).toHaveAccessibleName('Ada Lovelace')
  await expect(faces(visitor).nth(1)).toHaveAttribute('src', face)
  await expect(faces(visitor).nth(1)).toHaveJSProperty('naturalWidth', 256)
  expect(await violationsInBothSchemes(visitor.page)).toEqual([])

  // Who goes off duty is not shown any more, and neither is the team when it is turned off.
  await product.callAsAdmin('PATCH', '/account', { onDuty: false })
  await comeBack()
  await expect(faces(visitor)).toHaveCount(1)
  await product.configure({ showTeam: false })
  await comeBack()
  await expect(team(visitor)).toHaveCount(0)
  await grace.leave()
  await visitor.leave()
})

test('an admin changes the picture by keyboard, by paste, and from the command menu, and removes it', async ({
  admin,
  product,
}) => {
  const { page } = admin
  await page.setViewportSize({ width: 390, height: 844 })
  const face = async () => (await product.callAsAdmin<Account>('GET', '/account')).face
  const field = page.getByLabel('Picture', { exact: true })
  const shown = page.locator('.face-field img')

  // The browser hands over the next chooser soon after this call, which a key pressed at once could overtake.
  const chosen = page.waitForEvent('filechooser')
  await page.keyboard.press('Control+k')
  await page.getByLabel('Find a command').fill('picture')
  await page.keyboard.press('Enter')
  await expect(field).toBeFocused()
  await expect(shown).toHaveCount(0)
  await page.keyboard.press('Enter')
  const buffer = await picture(300, 200)
  await (await chosen).setFiles({ name: 'Me at the sea.png', mimeType: 'image/png', buffer })
  await expect(page.getByText('Picture changed')).toBeVisible()
  await expect(field).toBeFocused()
  await expect(shown).toHaveAttribute('src', (await face()) ?? '')
  await expect(shown).toHaveJSProperty('naturalWidth', 256)
  expect(await violationsInBothSchemes(page)).toEqual([])

  const first = await face()
  await page.evaluate(
    (bytes) => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' }))
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    },
    [...(await picture(90, 120))],
  )
  await expect(shown).not.toHaveAttribute('src', first ?? '')
  await expect.poll(face).not.toBe(first)
  await expect(shown).toHaveAttribute('src', (await face()) ?? '')

  await field.setInputFiles({ name: 'me.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
  await expect(field).toHaveAccessibleDescription(/me\.svg isn't a JPG, PNG, or WebP image/)
  await field.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: buffer.subarray(0, 400) })
  await expect(field).toHaveAccessibleDescription(/This image is damaged or incomplete/)

  await admin.goto('/dashboard/team')
  await expect(page.locator('.team-list img')).toHaveAttribute('src', (await face()) ?? '')
  await admin.goto('/dashboard/account')
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(shown).toHaveCount(0)
  await expect(field).toBeFocused()
  expect(await face()).toBeNull()
})

const SCREENS = {
  'a phone of 320 px with text of 200 %': { width: 320, height: 568, text: '200%' },
  'a zoom of 400 %': { width: 320, height: 256, text: '100%' },
  'a computer': { width: 1280, height: 800, text: '100%' },
}
for (const [what, { width, height, text }] of Object.entries(SCREENS)) {
  test(`long names fit into the head on ${what}, and nothing moves`, async ({ browser, product }) => {
    const name = 'Wolfeschlegelsteinhausenbergerdorff-Nachname the Second of Their Name'
    await product.callAsAdmin('PATCH', '/account', { displayName: name })
    await giveFace(product)
    for (const other of ['مريم', 'Zoë']) {
      const { admin } = await product.callAsAdmin<InvitedAdmin>('POST', '/team', { userName: other })
      await product.callAsAdmin('PATCH', `/team/${admin.userId}`, { displayName: other })
    }
    await product.configure({ showTeam: true })
    const visitor = await Visitor.arrive(browser, product, { viewport: { width, height }, path: '/faq' })
    const { page } = visitor
    await page.evaluate(async (size) => {
      document.documentElement.style.fontSize = size
      // What this moves is reported after it is painted, and is not what the test is about.
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame)
      window.shifted = 0
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          window.shifted = (window.shifted ?? 0) + (entry as PerformanceEntry & { value: number }).value
        }
      }).observe({ type: 'layout-shift' })
    }, text)
    await page.locator('.chat-launcher').click()
    await expect(faces(visitor).first()).toBeVisible()
    await expect(faces(visitor).last()).toHaveJSProperty('complete', true)
    // What moves is reported after it is painted.
    const shift = await page.evaluate(async () => {
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame)
      return window.shifted
    })
    expect(shift).toBe(0)
    const head = page.locator('.chat-header')
    expect(await head.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
    const { height: headHeight = 0 } = (await head.boundingBox()) ?? {}
    expect(headHeight).toBeLessThan(height / 2)
    expect(await violations(page)).toEqual([])
    await visitor.leave()
  })
}

embedTest('the faces are loaded on other websites, too', async ({ hosts, widget }) => {
  await hosts.product.callAsAdmin('PATCH', '/account', { displayName: 'Ada Lovelace' })
  await giveFace(hosts.product)
  await hosts.product.configure({ showTeam: true })
  hosts.serve('/strict', hosts.tag, {
    'content-security-policy': `default-src 'none'; script-src ${hosts.origin('chat.test')}; frame-src ${hosts.origin('chat.test')}`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  })
  await widget.page.goto(hosts.url('/strict'))
  await expect.poll(() => widget.launcher()).toEqual({ name: 'Live chat', expanded: false })
  await widget.press()
  await widget.opened()
  const face = widget.frame.getByRole('img', { name: 'Ada Lovelace' })
  await expect(face).toHaveJSProperty('naturalWidth', 256)
  await hosts.product.configure({ showTeam: false })
})
