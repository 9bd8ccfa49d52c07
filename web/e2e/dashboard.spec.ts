import { Admin, Visitor } from './people.ts'
import { ADMIN } from './product.ts'
import { expect, someClientId, test } from './test.ts'

test('the guard asks to sign in and then returns to the requested page', async ({ browser, product }) => {
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  const visitor = await Visitor.arrive(browser, product, { path: `/dashboard/messages/${clientId}` })
  await expect(visitor.page).toHaveURL(product.url('/login'))
  const admin = new Admin(visitor.page, product)
  await admin.fillIn()
  await expect(admin.page.getByText(`Welcome back ${ADMIN.userName}`)).toBeVisible()
  await expect(admin.page).toHaveURL(product.url(`/dashboard/messages/${clientId}`))
  await expect(admin.message('hello')).toBeVisible()
  await admin.leave()
})

test('a wrong password shows an error, and the form stays', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { path: '/login' })
  const admin = new Admin(visitor.page, product)
  await admin.fillIn('not the password')
  await expect(admin.page.getByRole('alert')).toBeVisible()
  await expect(admin.page).toHaveURL(product.url('/login'))
  await admin.leave()
})

test('the form to sign in stays under a pressed pointer when the server says where passkeys work', async ({
  page,
  product,
}) => {
  const answer = Promise.withResolvers<void>()
  await page.route('**/auth/passkey/options', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.goto(product.url('/login'))
  await page.getByLabel('Username').fill(ADMIN.userName)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).hover()
  await page.mouse.down()
  answer.resolve()
  await expect(page.getByText(/^To use a passkey, open/)).toBeVisible()
  await page.mouse.up()
  await expect(page.getByText(`Welcome back ${ADMIN.userName}`)).toBeVisible()
})

test('a session survives a reload and ends with signing out', async ({ admin, product }) => {
  await admin.page.reload()
  await expect(admin.page).toHaveURL(product.url('/dashboard/chats'))
  await expect(admin.page.getByText(ADMIN.userName).first()).toBeVisible()

  await admin.page.getByRole('button', { name: 'Sign out' }).click()
  await expect(admin.page).toHaveURL(product.url('/login'))
  await admin.goto('/dashboard/chats')
  await expect(admin.page).toHaveURL(product.url('/login'))
})

test('the list is sorted by waiting time, live, with unread counts', async ({ admin, product }) => {
  await expect(admin.page.getByText('No messages found!')).toBeVisible()
  const [first, second, third] = [someClientId(), someClientId(), someClientId()]
  await product.post(first, 'I came first')
  await product.post(second, 'I came second')
  await product.post(third, 'I came third')
  await product.post(third, 'and wrote twice')
  const ids = () =>
    admin.page
      .getByRole('link', { name: /^View/ })
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1)))
  await expect.poll(ids).toEqual([first, second, third])
  await expect(admin.row(third)).toContainText('and wrote twice')
  await expect(admin.row(third)).toContainText('2')
  await expect(admin.page.getByRole('link', { name: /4 unread/i })).toBeVisible()

  await admin.view(first)
  await admin.send('What can I do for you?')
  await admin.page.getByRole('link', { name: /Messages/ }).click()
  await expect.poll(ids).toEqual([second, third, first])
  await expect(admin.page.getByRole('link', { name: /3 unread/i })).toBeVisible()
})

test('a message that arrives while an admin types is shown before the reply', async ({ admin, product }) => {
  const clientId = someClientId()
  await product.post(clientId, 'one')
  await admin.view(clientId)
  await expect(admin.message('one')).toBeVisible()
  await admin.box.fill('an answer to one')
  await product.post(clientId, 'two')
  await expect(admin.message('two')).toBeVisible()
  await admin.box.press('Enter')
  await admin.expectSent('an answer to one')
  expect(await product.texts(clientId)).toEqual(['one', 'two', 'an answer to one'])
})

test.describe('without rate limits', () => {
  test.use({ env: { RATE_LIMITS: 'off' } })

  test('a long conversation opens at its end and loads older pages on scrolling up', async ({
    admin,
    product,
  }) => {
    const clientId = someClientId()
    for (let at = 1; at <= 220; at++) await product.post(clientId, `message ${at}`)
    await admin.view(clientId)
    await expect(admin.message('message 220')).toBeInViewport()
    await expect(admin.message('message 1')).toHaveCount(0)
    await admin.log.hover()
    await expect(async () => {
      await admin.page.mouse.wheel(0, -20_000)
      await expect(admin.message('message 1')).toHaveCount(1, { timeout: 500 })
    }).toPass()
  })
})
