import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { Visitor } from './people.ts'
import { expect, TRANSPORTS, test } from './test.ts'

const TITLE = 'Tell us about your exam'
const THANKS = "Thanks. We'll keep this with your conversation."

const form = (page: Page) => page.getByRole('dialog', { name: TITLE })
const more = (visitor: Visitor) => visitor.panel.getByRole('button', { name: 'More' })
const aboutPanel = (page: Page) => page.getByRole('region', { name: 'Visitor', exact: true })

async function openForm(visitor: Visitor): Promise<void> {
  await more(visitor).click()
  await visitor.panel.getByRole('button', { name: TITLE }).click()
  await expect(form(visitor.page).getByLabel('Name')).toBeFocused()
}

/** A day of the next year: `2027-03-09`. */
const examDay = `${new Date().getFullYear() + 1}-03-09`

/** Everything that the server sends to this page from now on. */
function received(page: Page): () => string {
  const texts: string[] = []
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => texts.push(String(payload))))
  page.on('response', async (response) => texts.push(await response.text().catch(() => '')))
  return () => texts.join('\n')
}

test('the pages that a visitor reads from the first message on are shown to admins, and erased', async ({
  browser,
  product,
  admin,
}) => {
  const visitor = await Visitor.arrive(browser, product, { path: '/faq' })
  const go = (name: string) =>
    visitor.page.getByRole('banner').getByRole('link', { name, exact: true }).click()
  await go('Reviews')
  await visitor.page.waitForURL('**/reviews')
  await visitor.openChat()
  await visitor.send('Which of these is about my webcam?')
  const clientId = await visitor.clientId()
  await admin.view(clientId)
  const pages = aboutPanel(admin.page).locator('.visitor-pages li')
  await expect(pages).toHaveText([/^.*Reviews.*\/reviews/])
  await go('Contact')
  await visitor.page.waitForURL('**/contact')
  await expect(pages).toHaveText([/Contact.*\/contact.*open now/, /^.*Reviews.*\/reviews/])
  expect(await violations(admin.page)).toEqual([])
  expect((await product.known(clientId)).pages).toMatchObject([{ path: '/reviews' }, { path: '/contact' }])

  // The trail continues on the next visit, and ends with the conversation.
  await visitor.page.goto(`${product.origin}/faq?from=mail`)
  await expect(pages).toHaveText([/\/faq/, /\/contact/, /\/reviews/])
  await visitor.openChat()
  await more(visitor).click()
  await visitor.page.getByRole('button', { name: 'Erase this conversation' }).click()
  const erase = visitor.page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true })
  await erase.click()
  // Until the erased conversation was read again, the dialog keeps the message box from taking keys.
  await expect(erase).toBeHidden()
  await expect(visitor.message('Which of these is about my webcam?')).toBeHidden()
  await visitor.openChat()
  await visitor.send('Something else')
  await admin.page.reload()
  await expect(pages).toHaveText([/\/faq/])
})

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`what a visitor says in ${transport}`, () => {
    test.use({ env, timezoneId: 'America/New_York' })

    test('is shown to admins, who correct it', async ({ browser, product, admin }) => {
      const visitor = await Visitor.arrive(browser, product, { path: '/faq', timezoneId: 'Asia/Kolkata' })
      const wire = received(visitor.page)
      await visitor.openChat()
      await visitor.send('When can we test my webcam?')
      const clientId = await visitor.clientId()
      await admin.view(clientId)
      const panel = aboutPanel(admin.page)
      await expect(panel.getByText('/faq')).toBeVisible()
      await expect(panel.getByText(/^Asia.(Kolkata|Calcutta)$/)).toBeVisible()

      await openForm(visitor)
      await expect(form(visitor.page).getByText(/^Your time zone: Asia/)).toBeVisible()
      await form(visitor.page).getByLabel('Name').fill('Zoë <b>Example</b>')
      await form(visitor.page).getByLabel('Email').fill('zoe@example.com')
      await form(visitor.page).getByLabel('Exam date and time').fill(`${examDay}T09:30`)
      await form(visitor.page).getByRole('button', { name: 'Save' }).click()
      await expect(visitor.page.getByText(THANKS)).toBeVisible()
      await expect(form(visitor.page)).toBeHidden()

      await expect(panel.getByText('Zoë <b>Example</b>')).toBeVisible()
      await expect(panel.getByRole('link', { name: 'zoe@example.com' })).toHaveAttribute(
        'href',
        'mailto:zoe@example.com',
      )
      await expect(panel.getByText(/9:30.* their time/)).toBeVisible()
      await expect(panel.getByText(/your time/)).toBeVisible()
      await expect(panel.getByText('Provided by the visitor, not verified.')).toBeVisible()
      expect(await violations(admin.page)).toEqual([])

      await panel.getByRole('button', { name: 'Edit' }).click()
      await expect(panel.getByLabel('Name')).toBeFocused()
      await panel.getByLabel('Email').fill('zoe')
      await panel.getByRole('button', { name: 'Save' }).click()
      await expect(panel.getByText('Enter a valid email address')).toBeVisible()
      expect(await violations(admin.page)).toEqual([])
      await panel.getByLabel('Name').fill('Corrected By Admin')
      await panel.getByLabel('Email').fill('')
      await panel.getByLabel('Exam').fill(`${examDay}T18:00`)
      await panel.getByRole('button', { name: 'Save' }).click()
      await expect(panel.getByText('Corrected By Admin')).toBeVisible()
      await expect(panel.getByRole('button', { name: 'Edit' })).toBeFocused()
      await expect(panel.getByRole('link', { name: 'zoe@example.com' })).toBeHidden()
      // On the visitor's clock, on which 18:00 is 12:30 UTC.
      expect(await product.known(clientId)).toMatchObject({
        name: 'Corrected By Admin',
        email: null,
        examAt: `${examDay}T12:30:00.000Z`,
      })

      await admin.send('Tomorrow.')
      await expect(visitor.message('Tomorrow.')).toBeVisible()
      await expect.poll(wire).toContain('Tomorrow.')
      expect(wire()).not.toMatch(/Corrected By Admin|zoe@example/)
      await visitor.leave()
    })
  })
}

test('the form works with only a keyboard, and returns the focus', async ({ visitor, product }) => {
  const { keyboard } = visitor.page
  await visitor.send('hello')
  await more(visitor).focus()
  await keyboard.press('Enter')
  await expect(visitor.panel.getByRole('button', { name: TITLE })).toBeFocused()
  await keyboard.press('Escape')
  await expect(visitor.panel.getByRole('button', { name: TITLE })).toBeHidden()
  await expect(more(visitor)).toBeFocused()

  const openIt = async () => {
    await keyboard.press('Enter')
    await expect(visitor.panel.getByRole('button', { name: TITLE })).toBeFocused()
    await keyboard.press('Enter')
    await expect(form(visitor.page).getByLabel('Name')).toBeFocused()
  }
  await openIt()
  await keyboard.press('Escape')
  await expect(form(visitor.page)).toBeHidden()
  await expect(visitor.panel).toBeVisible()
  await expect(more(visitor)).toBeFocused()

  await openIt()
  await keyboard.type('Sam')
  await keyboard.press('Tab')
  await keyboard.type('sam@')
  await keyboard.press('Enter')
  await expect(form(visitor.page).getByText('Enter a valid email address')).toBeVisible()
  await expect(form(visitor.page).getByLabel('Email')).toBeFocused()
  await keyboard.press('End')
  await keyboard.type('example.com')
  await keyboard.press('Enter')
  await expect(form(visitor.page)).toBeHidden()
  await expect(more(visitor)).toBeFocused()
  const clientId = await visitor.clientId()
  expect(await product.known(clientId)).toMatchObject({ name: 'Sam', email: 'sam@example.com', examAt: null })
})

test('a date without a time is not taken for an empty field', async ({ visitor }) => {
  await openForm(visitor)
  await form(visitor.page).getByLabel('Exam date and time').focus()
  await visitor.page.keyboard.type('0309')
  await form(visitor.page).getByRole('button', { name: 'Save' }).click()
  await expect(form(visitor.page).getByText('Enter a date and time')).toBeVisible()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the answers before the first message are sent with it on a phone, ${colorScheme}`, async ({
    browser,
    product,
  }) => {
    const width = colorScheme === 'light' ? 390 : 360
    const visitor = await Visitor.arrive(browser, product, {
      viewport: { width, height: 740 },
      hasTouch: true,
      colorScheme,
    })
    await visitor.openChat()
    await more(visitor).tap()
    await expect(visitor.panel.getByRole('button', { name: TITLE })).toBeVisible()
    expect(await violations(visitor.page)).toEqual([])
    await visitor.panel.getByRole('button', { name: TITLE }).tap()
    await form(visitor.page).getByLabel('Name').fill('Sam')
    await form(visitor.page).getByLabel('Email').fill('sam')
    await form(visitor.page).getByRole('button', { name: 'Save' }).tap()
    await expect(form(visitor.page).getByText('Enter a valid email address')).toBeVisible()
    expect(await violations(visitor.page)).toEqual([])
    const box = await form(visitor.page).boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
    await form(visitor.page).getByLabel('Email').fill('')
    await form(visitor.page).getByLabel('Exam date and time').fill(`${examDay}T09:30`)
    await form(visitor.page).getByRole('button', { name: 'Save' }).tap()
    await expect(visitor.page.getByText(THANKS)).toBeVisible()

    // Kept through a reload, and nothing was sent.
    await visitor.page.reload()
    await expect(visitor.panel).toBeVisible()
    await openForm(visitor)
    await expect(form(visitor.page).getByLabel('Name')).toHaveValue('Sam')
    await expect(form(visitor.page).getByLabel('Exam date and time')).toHaveValue(`${examDay}T09:30`)
    await form(visitor.page).getByRole('button', { name: 'Cancel' }).tap()
    await expect(form(visitor.page)).toBeHidden()

    await visitor.send('from a phone')
    const clientId = await visitor.clientId()
    await expect.poll(() => product.known(clientId)).toMatchObject({ name: 'Sam', page: '/' })
    expect((await product.known(clientId)).examAt).toMatch(new RegExp(`^${examDay}`))
    expect(visitor.complaints).toEqual([])
    await visitor.leave()
  })
}

test('a conversation works where the profile is refused', async ({ visitor, product }) => {
  await visitor.page.route('**/profile', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await visitor.send('hello')
  await openForm(visitor)
  await form(visitor.page).getByLabel('Name').fill('Sam')
  await form(visitor.page).getByRole('button', { name: 'Save' }).click()
  await expect(form(visitor.page).getByRole('alert')).not.toBeEmpty()
  await expect(form(visitor.page).getByLabel('Name')).toHaveValue('Sam')
  await visitor.page.keyboard.press('Escape')
  await expect(form(visitor.page)).toBeHidden()
  await visitor.send('still here')
  expect(await product.stored(await visitor.clientId())).toHaveLength(2)
})
