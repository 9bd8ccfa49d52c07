import { violationsInBothSchemes } from './axe.ts'
import { Admin } from './people.ts'
import { expect, someClientId, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

test('the command menu groups what it finds and marks the letters', async ({ admin, product }) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'Hello?')
  await product.callAsAdmin('PATCH', `/chat/admin/${clientId}/visitor`, { name: 'Rey Resnik' })
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(page.getByRole('button', { name: 'Resolve', exact: true })).toBeVisible()
  await page.keyboard.press('Control+k')
  const menu = page.getByRole('dialog', { name: 'Commands' })
  await expect(menu.getByRole('combobox', { name: 'Find a command' })).toBeFocused()
  const groups = menu.getByRole('group')
  const names = () => groups.evaluateAll((all) => all.map((group) => group.getAttribute('aria-label')))
  expect(await names()).toEqual(['This conversation', 'Go to', 'Conversations', 'On every page'])

  await page.keyboard.type('res')
  await expect.poll(names).toEqual(['This conversation', 'Conversations', 'Search'])
  const resolve = groups.first().getByRole('option', { name: /^Resolve/ })
  await expect(resolve).toHaveAttribute('aria-selected', 'true')
  await expect(resolve.locator('b')).toHaveText('Res')
  // "Go to Reviews" has these letters too, but scattered.
  await expect(menu.getByRole('option', { name: /^Go to/ })).toHaveCount(0)
  await expect(menu.getByRole('option', { name: 'Open Rey Resnik' }).locator('b')).toHaveText('Res')
  const box = await menu.boundingBox()
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  expect(box?.width).toBe(640)
  expect(Math.round(((box?.y ?? 0) / height) * 100)).toBe(12)
  expect(Math.abs((box?.x ?? 0) - (width - 640) / 2)).toBeLessThan(1)
  expect(await violationsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('ArrowUp')
  await expect(menu.getByRole('option', { name: /^Search conversations for/ })).toHaveAttribute(
    'aria-selected',
    'true',
  )
})

test('the command menu and the shortcuts fit on a phone', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/chats', {
    viewport: { width: 320, height: 568 },
    hasTouch: true,
    isMobile: true,
  })
  const { page } = admin
  await page.getByRole('button', { name: 'Commands' }).tap()
  await expect(page.getByRole('option').first()).toBeInViewport({ ratio: 1 })
  expect(await violationsInBothSchemes(page)).toEqual([])
  await page.getByRole('combobox', { name: 'Find a command' }).fill('keyb')
  const option = page.getByRole('option', { name: /^Keyboard shortcuts/ })
  expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await option.tap()
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('On every page')
  expect(await violationsInBothSchemes(page)).toEqual([])
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(beyond).toBeLessThanOrEqual(0)
  await admin.leave()
})
