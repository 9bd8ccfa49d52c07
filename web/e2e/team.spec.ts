import type { Browser, Page } from '@playwright/test'
import type { Team } from '@proctorpass/shared/schemas/team'
import { startSmtpServer, type TestSmtpServer } from '../../api/test/smtp-server.ts'
import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import type { Product } from './product.ts'
import { expect, someClientId, freshTest as test } from './test.ts'

const PASSWORD = 'marble-teapot-horizon'

/** The page at the dashboard's team, with the link of an admin who was invited there. */
async function invite(admin: Admin, userName: string, displayName = ''): Promise<string> {
  const { page } = admin
  await admin.goto('/dashboard/team')
  await page.getByRole('button', { name: 'Invite an admin' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Username').fill(userName)
  await dialog.getByLabel('Display name').fill(displayName)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByLabel('Invitation link').inputValue()
  await dialog.getByRole('button', { name: 'Close' }).click()
  return link
}

async function accept(browser: Browser, product: Product, link: string): Promise<Admin> {
  const admin = new Admin(await (await browser.newContext()).newPage(), product)
  // The server's own address is not known to it here.
  await admin.goto(new URL(link).pathname + new URL(link).hash)
  await admin.page.getByLabel('New password').fill(PASSWORD)
  await admin.page.getByRole('button', { name: 'Set password and sign in' }).click()
  await admin.page.waitForURL(/\/dashboard(?:\/chats)?$/)
  return admin
}

async function expectChoices(admin: Admin, path: string, name: string, choices: string[]): Promise<void> {
  await admin.goto(path)
  const select = admin.page.getByRole('main').getByRole('combobox', { name, exact: true })
  await expect(select.getByRole('option')).toHaveText(choices)
}

const row = (page: Page, userName: string) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: userName }).first()

test('an invited admin chooses a password, is seen at a conversation, and is signed out when disabled', async ({
  admin,
  browser,
  product,
}) => {
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  const link = await invite(admin, 'anna', 'Anna Müller')
  await expect(row(admin.page, 'anna')).toContainText('Invited')
  const anna = await accept(browser, product, link)
  await expect(anna.page.getByText('Signed in as anna')).toBeVisible()

  await admin.goto(`/dashboard/messages/${clientId}`)
  await anna.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.page.getByText('Anna Müller is also looking at this')).toBeVisible()
  await expect(anna.page.getByText('admin is also looking at this')).toBeVisible()
  await anna.box.pressSequentially('Hel')
  await expect(admin.page.getByText('Anna Müller is typing a reply')).toBeVisible()
  expect(await violations(admin.page)).toEqual([])
  await expect(async () => {
    await admin.box.fill('')
    await anna.box.press('l')
    await expect(admin.page.getByText('Anna Müller is typing a reply')).toBeVisible({ timeout: 3_000 })
    await admin.box.fill('Me too')
    await expect(admin.page.getByText('is typing a reply already')).toBeVisible({ timeout: 3_000 })
    await admin.box.press('Enter')
    await expect(admin.page.getByText('Send again to send yours too')).toBeVisible({ timeout: 3_000 })
  }).toPass()
  await admin.box.press('Enter')
  await expect(admin.message('Me too')).toBeVisible()
  await anna.send('Hello from Anna')
  await expect(admin.page.getByText('Anna Müller is typing a reply')).toBeHidden()
  await admin.goto('/dashboard/chats')
  await expect(admin.row(clientId)).toContainText('Anna Müller is looking')
  await anna.goto('/dashboard/chats')
  await expect(admin.row(clientId)).not.toContainText('is looking')
  const note = { nonce: 'a-nonce-of-a-note', text: '@anna have a look' }
  await product.callAsAdmin('POST', `/chat/admin/${clientId}/notes`, note)
  const bell = anna.page.getByRole('button', { name: 'Notifications, 1 new' })
  await expect(bell).toBeVisible()
  await expect(anna.row(clientId)).toContainText('Mentioned you')
  await bell.press('Enter')
  const list = anna.page.getByRole('dialog', { name: 'Notifications' })
  await expect(list).toContainText('@anna have a look')
  expect(await violations(anna.page)).toEqual([])
  await list.getByRole('link').press('Enter')
  await expect(anna.page).toHaveURL(/\?n=\d+$/)
  await expect(anna.log.getByText('@anna have a look')).toBeVisible()
  await expect(anna.page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
  await anna.goto('/dashboard/chats')
  await expect(anna.row(clientId)).not.toContainText('Mentioned you')
  // Her new page has its socket.
  const onlineNow = async () => {
    const { admins } = await product.callAsAdmin<Team>('GET', '/team')
    return admins.filter(({ online }) => online).map(({ userName }) => userName)
  }
  await expect.poll(onlineNow).toContain('anna')

  const { admins } = await product.callAsAdmin<Team>('GET', '/team')
  const assigneeId = admins.find(({ userName }) => userName === 'anna')?.userId
  await product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, { assigneeId })
  await invite(admin, 'ben')
  await expectChoices(admin, '/dashboard/chats', 'Assignee', [
    'Any assignee',
    'You',
    'Anna Müller',
    'Unassigned',
  ])

  await admin.goto('/dashboard/team')
  await expect(row(admin.page, 'anna')).toContainText('Online')
  await row(admin.page, 'anna').getByRole('button', { name: 'Disable' }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await expect(row(admin.page, 'anna')).toContainText('Disabled')
  await expect(anna.page).toHaveURL(product.url('/login'))
  await anna.leave()

  // Only those who can be assigned are in the inbox's filter. A disabled admin's conversations are found from the team.
  await expectChoices(admin, '/dashboard/chats', 'Assignee', ['Any assignee', 'You', 'Unassigned'])
  await expectChoices(admin, '/dashboard/audit', 'Who', ['Everyone', 'admin', 'Anna Müller (disabled)'])
  await expectChoices(admin, '/dashboard/reports', 'Assigned to', [
    'Anyone',
    'No one',
    'admin',
    'Anna Müller (disabled)',
  ])
  await admin.goto('/dashboard/team')
  await row(admin.page, 'anna').getByRole('link', { name: 'Conversations anna' }).click()
  await expect(admin.row(clientId)).toBeVisible()
  await expect(admin.page.getByLabel('Assignee')).toHaveValue(`${assigneeId}`)
  await expect(admin.page.getByLabel('Assignee').locator('option:checked')).toHaveText(
    'Anna Müller (disabled)',
  )
})

test('admins see each other again after the server was away', async ({ admin, browser, product }) => {
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  const anna = await accept(browser, product, await invite(admin, 'anna'))
  for (const each of [admin, anna]) await each.goto(`/dashboard/messages/${clientId}`)
  const looking = admin.page.getByText('anna is also looking at this')
  await expect(looking).toBeVisible()
  await product.kill()
  await expect(looking).toBeHidden()
  await product.startAgain()
  await expect(looking).toBeVisible({ timeout: 60_000 })
  await anna.leave()
})

test('a link works once, and says so afterwards', async ({ admin, browser, product }) => {
  const link = await invite(admin, 'anna')
  const { page } = await Visitor.arrive(browser, product, { path: '/login' })
  await page.goto(product.url(`/invite${new URL(link).hash}`))
  await expect(page.getByRole('heading', { name: 'Join the team' })).toBeVisible()
  // Out of the address bar and the history.
  await expect(page).toHaveURL(product.url('/invite'))
  expect(await violations(page)).toEqual([])
  const submit = page.getByRole('button', { name: 'Set password and sign in' })
  await submit.click()
  await expect(page.getByText('Password is required')).toBeVisible()
  expect(await violations(page)).toEqual([])
  // Used meanwhile, in another browser.
  await (await accept(browser, product, link)).leave()
  await page.getByLabel('New password').fill(PASSWORD)
  await submit.click()
  await expect(page.getByRole('alert')).toHaveText(
    "This invitation isn't valid anymore. Ask an admin for a new link.",
  )
  expect(await violations(page)).toEqual([])
  await page.reload()
  await expect(page.getByRole('alert')).toHaveText('Open this page with the whole link from your invitation.')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(product.url('/login'))
})

test('a weak password is refused beside its field, and the link stays good', async ({
  admin,
  browser,
  product,
}) => {
  const link = await invite(admin, 'anna-the-second')
  const { page } = await Visitor.arrive(browser, product, { path: '/login' })
  await page.goto(product.url(`/invite${new URL(link).hash}`))
  for (const [password, message] of [
    ['short', 'it has fewer than 12 characters'],
    ['anna-the-second', "it's the same as the username"],
  ] as const) {
    await page.getByLabel('New password').fill(password)
    await page.getByRole('button', { name: 'Set password and sign in' }).click()
    await expect(page.getByLabel('New password')).toHaveAccessibleDescription(new RegExp(message))
  }
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set password and sign in' }).click()
  await expect(page).toHaveURL(/\/dashboard(?:\/chats)?$/)
})

test('a new link replaces the one before', async ({ admin, browser, product }) => {
  const { page } = admin
  const first = await invite(admin, 'anna')
  await row(page, 'anna').getByRole('button', { name: 'New link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  const second = await page.getByLabel('Invitation link').inputValue()
  expect(second).not.toBe(first)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(second)
  await (await accept(browser, product, second)).leave()
})

test('the team is managed by keyboard, and axe finds nothing in any state', async ({ admin }) => {
  const { page } = admin
  await admin.goto('/dashboard/team')
  await expect(row(page, 'admin')).toContainText('(you)')
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Invite an admin' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Username')).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Create link' }).press('Enter')
  await expect(dialog.getByLabel('Username')).toHaveAccessibleDescription(/Username is required/)
  expect(await violations(page)).toEqual([])
  await dialog.getByLabel('Username').fill('ADMIN')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Username')).toHaveAccessibleDescription(/This username is taken/)
  await dialog.getByLabel('Username').fill('bo')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Invitation link')).toBeFocused()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Invite an admin' })).toBeFocused()

  await row(page, 'bo').getByRole('button', { name: 'Rename' }).press('Enter')
  await dialog.getByLabel('Display name').fill('Bo 博')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Bo 博' })).toBeVisible()
  await row(page, 'Bo').getByRole('button', { name: 'Disable' }).press('Enter')
  await expect(dialog).toBeVisible()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Disable' }).press('Enter')
  await expect(row(page, 'Bo')).toContainText('Disabled')
  await expect(dialog).toHaveCount(0)
  expect(await violations(page)).toEqual([])
  await row(page, 'Bo').getByRole('button', { name: 'Enable' }).press('Enter')
  await expect(row(page, 'Bo')).toContainText('Invited')

  await row(page, '(you)').getByRole('button', { name: 'Disable' }).click()
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('region', { name: 'Notices' })).toContainText(
    "The last active admin can't be disabled",
  )
  await expect(row(page, '(you)')).toContainText('On duty')
})

test('an admin says who they are and whether they are on duty', async ({ admin }) => {
  const { page } = admin
  await admin.goto('/dashboard/account')
  await page.getByLabel('Display name').fill('Sam')
  await page.getByLabel('Email for alerts').fill('no address')
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByLabel('Email for alerts')).toHaveAccessibleDescription(/Enter a valid email address/)
  expect(await violations(page)).toEqual([])
  await page.getByLabel('Email for alerts').fill('sam@example.com')
  await page.getByRole('button', { name: 'Save profile' }).click()
  await expect(page.getByRole('region', { name: 'Notices' })).toContainText('Profile saved')
  await page.getByRole('switch', { name: 'On duty' }).click()
  await expect(page.getByRole('region', { name: 'Notices' })).toContainText("You're off duty")
  await page.reload()
  await expect(page.getByRole('switch', { name: 'On duty' })).not.toBeChecked()
  await expect(page.getByLabel('Display name')).toHaveValue('Sam')
  await expect(page.getByLabel('Email for alerts')).toHaveValue('sam@example.com')
  await admin.goto('/dashboard/team')
  await expect(row(page, 'Sam')).toContainText('Off duty')
  await expect(row(page, 'Sam')).toContainText('admin')
})

const mailTest = test.extend<{ smtp: TestSmtpServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures.
  smtp: async ({}, use) => {
    const smtp = await startSmtpServer()
    await use(smtp)
    await smtp.close()
  },
  env: async ({ smtp }, use) => use({ SMTP_URL: smtp.url, MAIL_FROM: 'Support <support@example.com>' }),
})

mailTest(
  'an invitation can be emailed, and its link joins the team',
  async ({ admin, browser, product, smtp }) => {
    const { page } = admin
    await page.setViewportSize({ width: 390, height: 844 })
    await admin.goto('/dashboard/team')
    await page.getByRole('button', { name: 'Invite an admin' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Username').fill('anna')
    await dialog.getByLabel('Email').fill('anna@')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await expect(dialog.getByLabel('Email')).toHaveAccessibleDescription(/Enter a valid email address/)
    await dialog.getByLabel('Email').fill('anna@example.com')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await expect(dialog).toContainText('We emailed this link to anna@example.com.')
    expect(await violations(page)).toEqual([])
    expect(smtp.mails.map(({ to }) => to)).toEqual([['anna@example.com']])
    const link = /https?:\S+\/invite#\S+/.exec(smtp.mails[0]?.text ?? '')?.[0] ?? ''
    const anna = await accept(browser, product, link)
    await anna.leave()

    await smtp.close()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Invite an admin' }).click()
    await dialog.getByLabel('Username').fill('ben')
    await dialog.getByLabel('Email').fill('ben@example.com')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await expect(dialog).toContainText("The email couldn't be sent. Send this link to the new admin.")
  },
)
