import type { Locator, Page } from '@playwright/test'
import type { CannedReply, SavedCannedReply } from '@proctorpass/shared/schemas/reply'
import { violations } from './axe.ts'
import { Admin } from './people.ts'
import type { Product } from './product.ts'
import { expect, someClientId, test } from './test.ts'

async function store(product: Product, replies: Record<string, string>): Promise<CannedReply[]> {
  const stored: CannedReply[] = []
  for (const [shortcut, text] of Object.entries(replies)) {
    const { data } = await product.callAsAdmin<SavedCannedReply>('POST', '/replies', { shortcut, text })
    stored.push(data)
  }
  return stored
}

/** The text that is selected in the message box. */
const selected = (box: Locator) =>
  box.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd))

async function openConversation(admin: Admin, product: Product): Promise<string> {
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.message('hello')).toBeVisible()
  return clientId
}

const options = (page: Page) => page.getByRole('listbox', { name: 'Canned replies' }).getByRole('option')

test.describe('the page of canned replies', () => {
  test('adds, filters, changes and deletes them by keyboard', async ({ admin, product }) => {
    const { page } = admin
    await admin.goto('/dashboard/replies')
    await expect(page.getByText('No canned replies yet')).toBeVisible()
    await expect(page.getByText(/Add an answer that you type often/)).toBeVisible()
    expect(await violations(page)).toEqual([])

    await page.getByRole('button', { name: 'Add reply' }).press('Enter')
    const form = page.getByRole('dialog', { name: 'Add canned reply' })
    await expect(form.getByLabel('Shortcut')).toBeFocused()
    await page.keyboard.type('Greet ')
    await form.getByLabel('Text').focus()
    await page.keyboard.type('Hello ')
    await form.getByRole('button', { name: 'Insert Visitor name' }).press('Enter')
    await expect(form.getByLabel('Text')).toBeFocused()
    await page.keyboard.type(', this is ')
    await form.getByRole('button', { name: 'Insert Brand' }).press('Enter')
    await expect(form.getByLabel('Text')).toHaveValue('Hello {{visitor.name}}, this is {{brand}}')
    await expect(form.getByRole('region', { name: 'Preview' })).toContainText(
      'Hello Sam, this is ProctorPass',
    )
    expect(await violations(page)).toEqual([])
    await form.getByLabel('Shortcut').press('Enter')
    await expect(page.getByText('Reply saved')).toBeVisible()
    await expect(form).toHaveCount(0)
    await expect(page.getByRole('heading', { name: '/greet' })).toBeVisible()

    await store(product, { refund: 'Money back' })
    await page.reload()
    await expect(page.getByText('2 replies')).toBeVisible()
    await page.getByRole('searchbox', { name: 'Filter canned replies' }).fill('MONEY')
    await expect(page.getByText('1 of 2')).toBeVisible()
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(['/refund'])
    await page.getByRole('searchbox').fill('nothing like it')
    await expect(page.getByRole('heading', { level: 2 })).toHaveCount(0)
    await page.getByRole('searchbox').fill('')
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(['/greet', '/refund'])
    expect(await violations(page)).toEqual([])

    await page.getByRole('button', { name: 'Edit /refund' }).press('Enter')
    const edit = page.getByRole('dialog', { name: 'Edit canned reply' })
    await edit.getByLabel('Text').fill('Money back within {{days}}')
    await edit.getByRole('button', { name: 'Save' }).press('Enter')
    await expect(edit.getByText('There is no variable {{days}}')).toBeVisible()
    await edit.getByLabel('Text').fill('Money back within a day')
    await edit.getByRole('button', { name: 'Save' }).press('Enter')
    // The preview in the dialog has the text too.
    await expect(edit).toHaveCount(0)
    await expect(page.getByText('Money back within a day')).toBeVisible()

    await page.getByRole('button', { name: 'Delete /refund' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await expect(page.getByText('Reply deleted')).toBeVisible()
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(['/greet'])
    expect(admin.complaints).toEqual([])
  })

  test('says beside its field that a shortcut is taken or wrong', async ({ admin, product }) => {
    const { page } = admin
    await store(product, { greet: 'Hello' })
    await admin.goto('/dashboard/replies')
    await page.getByRole('button', { name: 'Add reply' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Shortcut').fill('two words')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByLabel('Shortcut')).toHaveAccessibleDescription(
      /lowercase letters, digits, and hyphens/,
    )
    await expect(form.getByLabel('Text')).toHaveAccessibleDescription('Text is required')
    await form.getByLabel('Shortcut').fill('greet')
    await form.getByLabel('Text').fill('Hi')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByLabel('Shortcut')).toHaveAccessibleDescription(/This shortcut is taken/)
    await expect(form.getByLabel('Text')).toHaveValue('Hi')
  })

  for (const choice of ['Keep mine', 'Use saved version'] as const) {
    test(`shows what another admin saved meanwhile: ${choice}`, async ({ admin, product }) => {
      const { page } = admin
      const [reply] = (await store(product, { greet: 'Hello' })) as [CannedReply]
      await admin.goto('/dashboard/replies')
      await page.getByRole('button', { name: 'Edit /greet' }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Text').fill('Mine')
      await product.callAsAdmin('PATCH', `/replies/${reply._id}`, { text: 'Theirs', version: 1 })
      await form.getByRole('button', { name: 'Save' }).click()
      const conflict = form.getByRole('region', { name: /Someone else saved this reply/ })
      await expect(conflict).toBeFocused()
      await expect(conflict).toContainText('Theirs')
      await expect(form.getByLabel('Text')).toHaveValue('Mine')
      expect(await violations(page)).toEqual([])

      await conflict.getByRole('button', { name: choice }).click()
      const text = choice === 'Keep mine' ? 'Mine' : 'Theirs'
      await expect(form.getByLabel('Text')).toHaveValue(text)
      await form.getByRole('button', { name: 'Save' }).click()
      await expect(form).toHaveCount(0)
      const { replies } = await product.callAsAdmin<{ replies: CannedReply[] }>('GET', '/replies')
      expect(replies).toMatchObject([{ text, version: 3 }])
    })
  }

  test('keeps unsaved text as a draft', async ({ admin, product }) => {
    const { page } = admin
    await store(product, { greet: 'Hello' })
    await admin.goto('/dashboard/replies')
    await page.getByRole('button', { name: 'Edit /greet' }).click()
    await page.getByRole('dialog').getByLabel('Text').fill('Hello and more')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.reload()
    await page.getByRole('button', { name: 'Edit /greet' }).click()
    const form = page.getByRole('dialog')
    await expect(form.getByLabel('Text')).toHaveValue('Hello and more')
    await form.getByRole('button', { name: 'Discard them' }).click()
    await expect(form.getByLabel('Text')).toHaveValue('Hello')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Edit /greet' }).click()
    await form.getByLabel('Text').fill('Saved')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form).toHaveCount(0)
    await page.getByRole('button', { name: 'Edit /greet' }).click()
    await expect(form.getByLabel('Text')).toHaveValue('Saved')
    await expect(form.getByText('Your unsaved changes are back')).toHaveCount(0)
  })

  for (const width of [360, 768]) {
    test(`fits ${width} px`, async ({ admin, product }) => {
      const { page } = admin
      await store(product, { ['long-'.repeat(8)]: `${'w'.repeat(300)} {{visitor.name}}`, b: 'Short' })
      await page.setViewportSize({ width, height: 740 })
      await admin.goto('/dashboard/replies')
      await expect(page.getByText('2 replies')).toBeVisible()
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(await overflow()).toBeLessThanOrEqual(0)
      await page.getByRole('button', { name: /^Edit \/long/ }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      const dialog = page.getByRole('dialog')
      expect(
        await dialog.evaluate((element) => element.scrollWidth - element.clientWidth),
      ).toBeLessThanOrEqual(0)
      expect(await violations(page)).toEqual([])
    })
  }
})

test.describe('the message box', () => {
  test('lists what another admin saved since the list was open last', async ({ admin, product }) => {
    const { page, box } = admin
    const [greet] = await store(product, { greet: 'Hello' })
    await openConversation(admin, product)
    await box.press('/')
    await expect(options(page)).toHaveCount(1)
    await box.fill('')
    await store(product, { refund: 'Money back' })
    await product.callAsAdmin('PATCH', `/replies/${greet?._id}`, { text: 'Hello again', version: 1 })
    await box.press('/')
    await expect(options(page)).toHaveCount(2)
    await expect(options(page).first()).toContainText('Hello again')
  })

  test('inserts a canned reply by keyboard and waits for its blanks', async ({ admin, product }) => {
    const { page, box } = admin
    await store(product, {
      'exam-day': 'Your exam, {{visitor.name}}, is at {{exam.time}}.',
      greet: 'Hello from {{brand}}',
      refund: 'Money back',
    })
    const clientId = await openConversation(admin, product)
    await box.press('/')
    await expect(options(page)).toHaveCount(3)
    await expect(box).toHaveAttribute('aria-activedescendant', /./)
    expect(await violations(page)).toEqual([])
    await box.press('ArrowDown')
    await expect(options(page).nth(1)).toHaveAttribute('aria-selected', 'true')
    await box.press('ArrowUp')
    await box.press('ArrowUp')
    await expect(options(page).nth(2)).toHaveAttribute('aria-selected', 'true')

    await box.press('Escape')
    await expect(options(page)).toHaveCount(0)
    await expect(box).toHaveValue('/')
    await box.pressSequentially('exam')
    await expect(options(page)).toHaveCount(0)
    await box.fill('')
    await box.pressSequentially('/money')
    await expect(options(page)).toHaveText([/refund/])
    await box.fill('/exam')
    await expect(options(page)).toHaveText([/exam-day/])
    await box.press('Enter')
    await expect(options(page)).toHaveCount(0)
    await expect(box).toHaveValue('Your exam, [visitor name], is at [exam time].')
    await expect(box).toBeFocused()
    await expect.poll(() => selected(box)).toBe('[visitor name]')
    expect(await violations(page)).toEqual([])

    await page.keyboard.type('Sam')
    await box.press('Tab')
    await expect.poll(() => selected(box)).toBe('[exam time]')
    await box.press('Shift+Tab')
    await expect(box).not.toBeFocused()
    await box.press('Enter')
    await expect(
      page.getByRole('alert').filter({ hasText: 'Fill in [exam time] before sending' }),
    ).toBeVisible()
    await expect.poll(() => selected(box)).toBe('[exam time]')
    expect(await product.texts(clientId)).toEqual(['hello'])

    await page.keyboard.type('nine')
    await expect(page.getByText('To fill in')).toHaveCount(0)
    await box.press('Tab')
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeFocused()
    await box.press('Enter')
    await admin.expectSent('Your exam, Sam, is at nine.')
    expect(await product.texts(clientId)).toEqual(['hello', 'Your exam, Sam, is at nine.'])
    expect(admin.complaints).toEqual([])
  })

  test('takes paths and addresses as text', async ({ admin, product }) => {
    const { page, box } = admin
    await store(product, { etc: 'A reply', greet: 'Hello' })
    await openConversation(admin, product)
    // Enter waits while the replies are loaded.
    await box.press('/')
    await expect(options(page)).toHaveCount(2)
    for (const text of ['see /etc', 'https://a.example/etc', 'and/or', '/etc/hosts', '//etc']) {
      await box.fill('')
      await box.pressSequentially(text)
      await expect(box).toHaveValue(text)
      await expect(options(page), text).toHaveCount(0)
    }
    await box.fill('')
    await box.pressSequentially('/no such reply')
    await expect(options(page)).toHaveCount(0)
    await box.press('Enter')
    await admin.expectSent('/no such reply')
  })

  test('inserts a shortcut once the replies are loaded, and sends none', async ({ admin, product }) => {
    const { page, box } = admin
    await store(product, { greet: 'Hello' })
    const clientId = await openConversation(admin, product)
    const held = Promise.withResolvers<void>()
    await page.route('**/api/replies', async (route) => {
      await held.promise
      await route.continue()
    })
    await box.pressSequentially('/greet')
    await box.press('Enter')
    const conversation = page.getByRole('region', { name: 'Conversation with visitor' })
    await expect(conversation.getByText('Loading')).toBeVisible()
    await expect(box).toHaveValue('/greet')
    held.resolve()
    await expect(box).toHaveValue('Hello')
    await expect(options(page)).toHaveCount(0)
    expect(await product.texts(clientId)).toEqual(['hello'])
  })

  test('takes several replies in one answer, which can be undone', async ({ admin, product }) => {
    const { page, box } = admin
    await store(product, { greet: 'Hello {{visitor.name}}', bye: 'Goodbye', refund: 'Money back.' })
    await openConversation(admin, product)
    const button = page.getByRole('button', { name: 'Canned replies' })
    await button.click()
    const filter = page.getByRole('combobox', { name: 'Filter canned replies' })
    await expect(filter).toBeFocused()
    expect(await violations(page)).toEqual([])
    await page.keyboard.type('gre')
    await expect(options(page)).toHaveText([/greet/])
    await page.keyboard.press('Enter')
    await expect(box).toHaveValue('Hello [visitor name]')
    // Behind the blank that is still selected.
    await button.click()
    await options(page).filter({ hasText: 'bye' }).click()
    await expect(box).toHaveValue('Hello [visitor name] Goodbye')
    await box.press('Shift+Enter')
    await box.pressSequentially('/ref')
    await expect(options(page)).toHaveText([/refund/])
    await box.press('Tab')
    await expect(box).toHaveValue('Hello [visitor name] Goodbye\nMoney back.')
    await box.press('Home')
    await button.click()
    await expect(filter).toBeFocused()
    await page.keyboard.type('bye')
    await expect(options(page)).toHaveText([/bye/])
    await page.keyboard.press('Enter')
    await expect(box).toHaveValue('Hello [visitor name] Goodbye\nGoodbye Money back.')

    await box.press('Control+z')
    await expect(box).toHaveValue('Hello [visitor name] Goodbye\nMoney back.')
    await button.click()
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('listbox', { name: 'Canned replies' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(options(page)).toHaveCount(0)
    await expect(box).toBeFocused()
    await button.click()
    await expect(filter).toBeFocused()
    await admin.log.click()
    await expect(options(page)).toHaveCount(0)
  })

  test('fills what the visitor said, in their time zone', async ({ admin, product }) => {
    const { page, box } = admin
    await store(product, { 'exam-day': '{{visitor.name}}: {{exam.time}}, {{admin.name}}, {{supportEmail}}' })
    await product.callAsAdmin('PATCH', '/account', { displayName: 'Ada' })
    const clientId = await openConversation(admin, product)
    const examAt = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 0, 15, 13, 5)).toISOString()
    const answer = await fetch(product.url(`/api/chat/${clientId}/profile`), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Mei Lin', examAt, timeZone: 'Asia/Shanghai', locale: 'en-GB' }),
    })
    expect(answer.status).toBe(200)
    await box.press('/')
    // The name of the admin is read by itself.
    await expect(options(page)).toContainText([/Mei Lin.*Ada/])
    await box.press('Enter')
    await expect(box).toHaveValue(/^Mei Lin: .* 15 January \d{4} at 21:05 China Standard Time, Ada, support@/)
    await expect(page.getByText('To fill in')).toHaveCount(0)
  })

  test('asks for the name of an admin who has no display name', async ({ admin, product }) => {
    const { box } = admin
    await store(product, { greet: 'This is {{admin.name}}' })
    await openConversation(admin, product)
    await box.pressSequentially('/greet')
    await expect(options(admin.page)).toHaveCount(1)
    await box.press('Enter')
    await expect(box).toHaveValue('This is [your name]')
    await box.press('Enter')
    await expect(admin.page.getByText('Fill in [your name] before sending')).toBeVisible()
  })

  test('knows the blanks of a draft after a reload', async ({ admin, product }) => {
    const { page, box } = admin
    await store(product, { greet: 'Hello {{visitor.name}}' })
    const clientId = await openConversation(admin, product)
    await box.pressSequentially('/greet')
    await expect(options(page)).toHaveCount(1)
    await box.press('Enter')
    await expect(box).toHaveValue('Hello [visitor name]')
    await page.reload()
    await expect(box).toHaveValue('Hello [visitor name]')
    await page.getByRole('button', { name: 'Fill in visitor name' }).click()
    await expect.poll(() => selected(box)).toBe('[visitor name]')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(page.getByText('Fill in [visitor name] before sending')).toBeVisible()
    expect(await product.texts(clientId)).toEqual(['hello'])
  })

  test('says what to do while there are no canned replies', async ({ admin, product }) => {
    const { page, box } = admin
    await openConversation(admin, product)
    await box.press('/')
    await page.getByRole('link', { name: 'Add one' }).click()
    await expect(page).toHaveURL(product.url('/dashboard/replies'))
  })
})

test.describe('in the dark', () => {
  test('axe finds nothing on the page, in the form and in the list', async ({ browser, product }) => {
    await store(product, { greet: 'Hello {{visitor.name}}', refund: 'Money back' })
    const admin = await Admin.signIn(browser, product, '/dashboard/replies', { colorScheme: 'dark' })
    const { page, box } = admin
    await expect(page.getByText('2 replies')).toBeVisible()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Edit /greet' }).click()
    await expect(page.getByRole('region', { name: 'Preview' })).toBeVisible()
    expect(await violations(page)).toEqual([])
    await openConversation(admin, product)
    await page.getByRole('button', { name: 'Canned replies' }).click()
    await expect(options(page)).toHaveCount(2)
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect(box).toHaveValue('Hello [visitor name]')
    expect(await violations(page)).toEqual([])
    await admin.leave()
  })
})

test.describe('by touch', () => {
  test('inserts a canned reply and fills its blanks', async ({ browser, product }) => {
    const clientId = someClientId()
    await product.post(clientId, 'hello')
    await store(product, {
      greet: 'Hello {{visitor.name}},\n'.concat('a line\n'.repeat(9), 'until {{exam.time}}'),
    })
    const touch = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }
    const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`, touch)
    const { page, box } = admin
    await page.getByRole('button', { name: 'Canned replies' }).tap()
    const list = page.getByRole('listbox', { name: 'Canned replies' })
    await expect(list).toBeInViewport()
    // A field would have opened the on-screen keyboard.
    await expect(page.getByRole('combobox')).not.toBeFocused()
    expect(await violations(page)).toEqual([])
    await options(page).first().tap()
    await expect(list).toHaveCount(0)
    await expect.poll(() => selected(box)).toBe('[visitor name]')
    await page.keyboard.insertText('Sam')
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
    await expect(page.getByText('Fill in [exam time] before sending')).toBeVisible()
    await box.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(0, 0))
    await page.getByRole('button', { name: 'Fill in exam time' }).tap()
    await expect.poll(() => selected(box)).toBe('[exam time]')
    // The end of the text was below the visible lines.
    await expect.poll(() => box.evaluate((area) => area.scrollTop)).toBeGreaterThan(0)
    await page.keyboard.insertText('nine')
    await page.getByRole('button', { name: 'Send', exact: true }).tap()
    await expect(box).toHaveValue('')
    await expect
      .poll(() => product.texts(clientId))
      .toEqual(['hello', `Hello Sam,\n${'a line\n'.repeat(9)}until nine`])
    for (const name of ['Canned replies', 'Send', 'More ways to send']) {
      const { width, height } = (await page.getByRole('button', { name, exact: true }).boundingBox()) ?? {
        width: 0,
        height: 0,
      }
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
    }
    await admin.leave()
  })
})

test.describe('with 500 replies', () => {
  test.use({ env: { RATE_LIMITS: 'off' } })

  test('the list and the page find each of them', async ({ admin, product }) => {
    const { page, box } = admin
    const text = 'What to bring to the exam, and when to be there. '.repeat(10)
    await store(product, { first: 'Signs in' })
    const indexes = Array.from({ length: 499 }, (_, index) => index)
    // A slow machine does not accept 499 connections at once in time.
    while (indexes.length > 0) {
      const some = indexes.splice(0, 20)
      await Promise.all(
        some.map((index) => store(product, { [`reply-${index}`]: `${text} number ${index}` })),
      )
    }
    await openConversation(admin, product)
    await box.press('/')
    await expect(options(page)).toHaveCount(50)
    await expect(page.getByText('Showing the first 50 of 500. Type to find others.')).toBeVisible()
    await box.press('ArrowUp')
    await expect(options(page).last()).toBeInViewport()
    await box.pressSequentially('number 498')
    await expect(options(page)).toHaveText([/reply-498/])
    await box.press('Enter')
    await expect(box).toHaveValue(`${text} number 498`)

    await admin.goto('/dashboard/replies')
    await expect(page.getByText('500 replies')).toBeVisible()
    await page.getByRole('button', { name: 'Edit /reply-99', exact: true }).scrollIntoViewIfNeeded()
    await page.getByRole('searchbox').fill('reply-321')
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(['/reply-321'])
  })
})
