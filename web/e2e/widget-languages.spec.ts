import { violationsInBothSchemes } from './axe.ts'
import { cutTexts } from './cut-texts.ts'
import { Admin, Visitor } from './people.ts'
import { expect, test } from './test.ts'
import { speak, TAGS, WIDGET_STATES } from './widget-states.ts'

// The server offers answers by mail. Nothing listens there, and no mail is due.
test.use({ env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Support <support@example.com>' } })

const NARROW = { viewport: { width: 320, height: 568 } }
/** The states with most of the words. The others take as long, and belong to the longest run. */
const EACH_RUN = ['conversation', 'away', 'files']

for (const { name, settings, isStaffed, pose, again } of WIDGET_STATES) {
  const options = EACH_RUN.includes(name) ? {} : { tag: '@long' }
  test(`no text is cut off in any language: ${name}`, options, async ({ browser, product }) => {
    await product.configure({ languages: TAGS, ...settings })
    const visitor = await Visitor.arrive(browser, product, NARROW)
    const { page } = visitor
    await visitor.openChat()
    await pose?.(visitor, product)
    const path = isStaffed ? `/dashboard/messages/${await visitor.clientId()}` : '/dashboard/account'
    const admin = await Admin.signIn(browser, product, path)
    const found: string[] = []
    for (const tag of TAGS) {
      await speak(page, tag)
      await again?.(visitor, admin)
      for (const size of ['100%', '200%']) {
        found.push(...(await cutTexts(page, size)).map((problem) => `${tag} at ${size}, ${problem}`))
      }
      const cancel = page.locator('dialog .button:not(.button-primary)').first()
      if (await cancel.isVisible()) await cancel.click()
    }
    expect(found).toEqual([])
    await admin.leave()
    await visitor.leave()
  })
}

test('a visitor finds their language among 22 with the keyboard, and the last choice stays', async ({
  browser,
  product,
}) => {
  await product.configure({ languages: TAGS })
  const visitor = await Visitor.arrive(browser, product, NARROW)
  const { page } = visitor
  await visitor.openChat()
  await visitor.panel.getByRole('button', { name: 'More' }).press('Enter')
  const select = visitor.panel.getByRole('combobox', { name: 'Language' })
  await expect(visitor.panel.getByRole('button', { name: 'Tell us about your exam' })).toBeFocused()
  for (let tabs = 0; tabs < 2; tabs++) await page.keyboard.press('Tab')
  await expect(select).toBeFocused()
  expect(
    await select.locator('option').evaluateAll((all) => all.map((each) => each.getAttribute('lang'))),
  ).toEqual(TAGS)
  expect(await violationsInBothSchemes(page)).toEqual([])

  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/words/de.json*', async (route) => {
    await answered
    await route.continue()
  })
  await page.keyboard.type('Deutsch')
  await expect(select).toHaveValue('de')
  await select.selectOption('fr')
  answer()
  const panel = page.locator('.chat-panel')
  await expect(panel).toHaveAttribute('lang', 'fr')
  await expect(panel.getByRole('combobox', { name: 'Langue' })).toHaveValue('fr')
  expect(await page.evaluate(() => localStorage.getItem('chat:language'))).toBe('fr')
  await visitor.leave()
})
