import type { Page } from '@playwright/test'
import type { LiveConfig } from '@proctorpass/shared/schemas/config'
import { DEFAULT_SETTINGS, type Settings } from '@proctorpass/shared/schemas/settings'
import { violations } from './axe.ts'
import type { Admin } from './people.ts'
import type { Product } from './product.ts'
import { expect, freshTest, someClientId, test } from './test.ts'

const stored = (product: Product) => product.callAsAdmin<Settings>('GET', '/settings')
const config = async (product: Product) =>
  ((await (await fetch(product.url('/api/config'))).json()) as LiveConfig).chat

async function open(admin: Admin): Promise<Page> {
  await admin.goto('/dashboard/settings')
  await expect(admin.page.getByRole('heading', { name: 'Opening hours' })).toBeVisible()
  return admin.page
}
/** The first one is the panel's, the others are of cards. */
const greeting = (page: Page) => page.getByLabel('Greeting in English').first()
const save = (page: Page) => page.getByRole('button', { name: 'Save settings' })

test.use({ timezoneId: 'Asia/Tokyo' })

test.describe(() => {
  test.use({ env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'chat@example.com' } })
  test('changes every setting by keyboard, and the chat follows', everySetting)
})

async function everySetting({ admin, product }: { admin: Admin; product: Product }): Promise<void> {
  const { version } = await stored(product)
  await admin.goto('/dashboard/chats')
  const { page } = admin
  await page.getByRole('link', { name: 'Settings' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeFocused()
  await expect(page.getByText("You're always open, so visitors don't see this.")).toBeVisible()
  expect(await violations(page)).toEqual([])

  await page.getByLabel('Always open').press('Space')
  await expect(page.getByLabel('Time zone')).toHaveValue('Asia/Tokyo')
  for (const day of ['Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
    await page.getByRole('button', { name: `Remove ${day}` }).press('Enter')
  }
  await page.getByLabel('Monday, to').fill('12:00')
  await page.getByRole('button', { name: 'Add hours on Monday' }).press('Enter')
  await page.getByLabel('Monday, hours 2, from').fill('13:00')
  await page.getByLabel('Monday, hours 2, to').fill('00:00')
  await page.getByLabel('Add a closed day').fill('2099-12-25')
  await page.getByRole('button', { name: 'Add day' }).press('Enter')
  await expect(page.getByRole('list', { name: 'Closed days' })).toContainText('Friday, December 25, 2099')

  await page.getByLabel('Away message in English').fill('Leave a message')
  await page.getByLabel('Away message in Chinese').fill('请留言')
  const preview = page.getByRole('figure', { name: 'Preview in English' })
  await expect(preview).toContainText('Leave a message')
  await expect(preview).toContainText(/^.*We're away\. Back (today|tomorrow|Monday) at (9:00|1:00)/)
  await greeting(page).fill('Hello')
  await page.getByRole('button', { name: 'Add quick reply in Chinese' }).press('Enter')
  await page
    .getByRole('group', { name: 'Quick replies in Chinese' })
    .getByLabel('Quick reply 1', { exact: true })
    .fill('价格')
  await page.getByLabel('Show the team').press('Space')
  await page.getByLabel('Email', { exact: true }).selectOption('Required')
  await page.getByLabel('Visitors can send files').press('Space')
  await page.getByLabel('Notice before the first file in English').fill('Send no exam content.')
  await page.getByLabel(/Ask visitors for a rating/).press('Space')
  await page.getByLabel(/Suggest pages while visitors type/).press('Space')
  await page.getByRole('button', { name: 'Add card' }).press('Enter')
  await expect(page.getByLabel('Pages', { exact: true })).toBeFocused()
  await page.getByLabel('Pages', { exact: true }).fill('/faq*')
  await page.getByLabel('Delay in seconds').fill('20')
  await page.getByLabel('Chat language').selectOption('Chinese')
  await page.getByLabel('Only while an admin is online').press('Space')
  await page.getByLabel('Text in Chinese').fill('有问题吗？')
  await page.getByRole('group', { name: 'Card 1' }).getByLabel('Greeting in Chinese').fill('请问')
  await page.getByRole('button', { name: 'Add card' }).press('Enter')
  await page.getByRole('button', { name: 'Remove card 2' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Add card' })).toBeFocused()
  await page.getByLabel(/Seconds before/).fill('90')
  await page.getByLabel('Then send them an email').press('Space')
  await page.getByLabel(/Minutes from/).fill('15')
  expect(await violations(page)).toEqual([])
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await save(page).press('Enter')
  await expect(page.getByText('Settings saved')).toBeVisible()
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)

  const expected: Settings = {
    version: version + 1,
    hours: {
      timeZone: 'Asia/Tokyo',
      spans: [
        { day: 1, from: '09:00', to: '12:00' },
        { day: 1, from: '13:00', to: '24:00' },
      ],
      closed: ['2099-12-25'],
    },
    away: { en: 'Leave a message', zh: '请留言' },
    greeting: { en: 'Hello', zh: '' },
    quickReplies: { en: [], zh: ['价格'] },
    languages: ['en', 'zh'],
    preChat: { name: 'off', email: 'required', examAt: 'off' },
    files: true,
    filesNotice: { en: 'Send no exam content.', zh: '' },
    secondFactor: 'optional',
    rating: true,
    showTeam: true,
    suggestions: false,
    cards: [
      {
        id: (await stored(product)).cards[0]?.id ?? '',
        ...{ path: '/faq*', afterSeconds: 20, language: 'zh', onlineOnly: false },
        ...{ text: { en: '', zh: '有问题吗？' }, greeting: { en: '', zh: '请问' } },
      },
    ],
    retentionDays: null,
    escalation: { afterSeconds: 90, thenMailMinutes: 15 },
  }
  expect(await stored(product)).toEqual(expected)
  expect(await config(product)).toMatchObject({ away: expected.away, files: true, rating: true })
  await page.reload()
  await expect(page.getByLabel('Monday, hours 2, to')).toHaveValue('00:00')
  await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  expect(admin.complaints).toEqual([])
}

test('shows the error beside each field, and moves the focus there', async ({ admin, product }) => {
  const { version } = await stored(product)
  const page = await open(admin)
  // Without a mail server.
  const mails = page.getByLabel('Then send them an email')
  await expect(mails).toBeDisabled()
  await expect(mails).toHaveAccessibleDescription(/Email isn't set up on this server/)
  const email = page.getByLabel('Email', { exact: true })
  await expect(email.getByRole('option', { name: 'Required' })).toBeDisabled()
  await expect(email).toHaveAccessibleDescription(/Email isn't set up on this server/)
  await page.getByLabel('Always open').uncheck()
  await page.getByRole('button', { name: 'Add hours on Monday' }).click()
  await page.getByLabel('Monday, hours 2, from').fill('16:00')
  await page.getByLabel('Monday, hours 2, to').fill('18:00')
  await page.getByRole('button', { name: 'Add quick reply in English' }).click()
  await greeting(page).fill('x'.repeat(1_001))
  await page.getByRole('button', { name: 'Add card' }).click()
  await page.getByLabel('Pages', { exact: true }).fill('faq')
  await page.getByLabel('Delay in seconds').fill('')
  await page.getByLabel(/Seconds before/).fill('')
  await save(page).click()
  const span = page.getByLabel('Monday, hours 2, from')
  await expect(span).toBeFocused()
  await expect(span).toHaveAccessibleDescription('These hours overlap other hours on this day')
  await expect(page.getByLabel('Quick reply 1', { exact: true })).toHaveAccessibleDescription(
    'Enter a reply or remove it',
  )
  await expect(greeting(page)).toHaveAccessibleDescription('Use 1,000 characters or fewer')
  await expect(page.getByLabel('Pages', { exact: true })).toHaveAccessibleDescription(
    /Enter a path such as \/faq/,
  )
  await expect(page.getByLabel('Delay in seconds')).toHaveAccessibleDescription(/Enter 0 to 3,600 seconds/)
  await expect(page.getByLabel('Text in English')).toHaveAccessibleDescription('Enter what the card says')
  await expect(page.getByLabel(/Seconds before/)).toHaveAccessibleDescription('Enter 15 to 3,600 seconds')
  expect(await violations(page)).toEqual([])
  await span.fill('17:00')
  await expect(span).toHaveAttribute('aria-invalid', 'false')
  expect((await stored(product)).version).toBe(version)
})

test('asks before it erases, and then erases nothing that is young', async ({ admin, product }) => {
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  const page = await open(admin)
  await page.getByLabel('Erase old conversations').check()
  await page.getByLabel('Days after the newest message').fill('30')
  await save(page).click()
  const dialog = page.getByRole('dialog', { name: 'Erase old conversations?' })
  await expect(dialog).toContainText('30 days')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await stored(product)).retentionDays).toBeNull()
  await save(page).click()
  await dialog.getByRole('button', { name: 'Save and erase' }).click()
  await expect(page.getByText('Settings saved')).toBeVisible()
  expect((await stored(product)).retentionDays).toBe(30)
  // Keeping them longer needs no question.
  await page.getByLabel('Days after the newest message').fill('60')
  await save(page).click()
  await expect.poll(async () => (await stored(product)).retentionDays).toBe(60)
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.message('hello')).toBeVisible()
})

freshTest(
  'shows what another admin saved meanwhile, and loses neither version',
  async ({ admin, product }) => {
    const page = await open(admin)
    await page.getByLabel('Greeting in English').fill('Mine')
    await product.callAsAdmin('PUT', '/settings', { ...DEFAULT_SETTINGS, rating: true })
    await save(page).click()
    const conflict = page.getByRole('region', { name: /Someone else saved the settings/ })
    await expect(conflict).toBeFocused()
    await expect(conflict.getByRole('listitem')).toHaveText(['Rating'])
    expect(await violations(page)).toEqual([])
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await save(page).click()
    await expect(page.getByText('Settings saved')).toBeVisible()
    expect(await stored(product)).toMatchObject({ version: 2, rating: false, greeting: { en: 'Mine' } })

    await page.getByLabel('Greeting in English').fill('Mine again')
    await product.callAsAdmin('PUT', '/settings', { ...DEFAULT_SETTINGS, version: 2, files: true })
    await save(page).click()
    await conflict.getByRole('button', { name: 'Use saved version' }).click()
    await expect(page.getByLabel('Visitors can send files')).toBeChecked()
    await expect(page.getByLabel('Greeting in English')).toHaveValue('')
    await expect(page.getByText('Unsaved changes')).toHaveCount(0)
  },
)

test('keeps unsaved changes as a draft, and asks before leaving', async ({ admin }) => {
  const page = await open(admin)
  await page.getByLabel('Greeting in English').fill('Not saved yet')
  await page.getByRole('link', { name: 'Team' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await expect(page.getByLabel('Greeting in English')).toHaveValue('Not saved yet')
  await page.getByRole('link', { name: 'Team' }).click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Team' })).toBeVisible()
  await open(admin)
  await expect(page.getByText('Your unsaved changes are back.')).toBeVisible()
  await expect(page.getByLabel('Greeting in English')).toHaveValue('Not saved yet')
  await page.getByRole('button', { name: 'Discard them' }).click()
  await expect(page.getByLabel('Greeting in English')).toHaveValue('')
})

for (const width of [360, 1280]) {
  test(`the list of parts leads to a part, and Discard takes changes back, ${width} px`, async ({
    admin,
  }) => {
    await admin.page.setViewportSize({ width, height: 800 })
    const page = await open(admin)
    const parts = page.getByRole('navigation', { name: 'On this page' })
    const link = (name: string) => parts.getByRole('link', { name, exact: true })
    await expect(link('Opening hours')).toHaveAttribute('aria-current', 'true')
    await link('Cards').click()
    await expect(page.getByRole('heading', { name: 'Cards', exact: true })).toBeFocused()
    await expect(page.getByRole('heading', { name: 'Cards', exact: true })).toBeInViewport()
    await expect(link('Cards')).toHaveAttribute('aria-current', 'true')
    await expect(link('Cards')).toBeInViewport({ ratio: 1 })
    await expect(link('Opening hours')).not.toHaveAttribute('aria-current', 'true')

    const discard = page.getByRole('button', { name: 'Discard', exact: true })
    await expect(discard).toBeHidden()
    const height = async () => (await page.locator('.save-bar').boundingBox())?.height
    const before = await height()
    await page.getByLabel('Ask visitors for a rating').check()
    await expect(page.getByText('Unsaved changes')).toBeVisible()
    expect(await height()).toBe(before)
    await discard.click()
    await expect(page.getByLabel('Ask visitors for a rating')).not.toBeChecked()
    await expect(save(page)).toBeFocused()
    await expect(discard).toBeHidden()
    await page.reload()
    await expect(page.getByLabel('Ask visitors for a rating')).not.toBeChecked()
  })
}

for (const [width, colorScheme] of [
  [360, 'light'],
  [360, 'dark'],
  [1280, 'dark'],
] as const) {
  test(`fits ${width} px, ${colorScheme}`, async ({ admin }) => {
    await admin.page.setViewportSize({ width, height: 800 })
    await admin.page.emulateMedia({ colorScheme })
    const page = await open(admin)
    await page.getByLabel('Always open').uncheck()
    await page.getByRole('button', { name: 'Add quick reply in English' }).click()
    await page.getByLabel('Erase old conversations').check()
    await page.getByLabel('Days after the newest message').fill('1')
    await save(page).click()
    await expect(page.getByText('Enter 30 to 3,650 days')).toBeVisible()
    expect(await violations(page)).toEqual([])
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
    expect(tooWide).toBe(false)
    // The field with the error is not below the bar.
    await expect(async () => {
      const bar = await save(page).boundingBox()
      const field = await page.getByLabel('Quick reply 1', { exact: true }).boundingBox()
      expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
    }).toPass()
  })
}
