import { type Foreign, Gateway } from './gateway.ts'
import { Admin, Visitor } from './people.ts'
import { FreshProduct } from './product.ts'
import { test as base, expect } from './test.ts'

interface Behind {
  gateway: Gateway
  /** The product as it is reached directly. */
  product: FreshProduct
  /** As browsers reach it: through the gateway. */
  behind: FreshProduct
}

const test = base.extend<Behind>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright parses the pattern to find dependencies
  gateway: async ({}, use) => {
    const gateway = await Gateway.open()
    await use(gateway)
    gateway.close()
  },
  product: async ({ gateway }, use) => {
    const env = { PUBLIC_URL: gateway.origin, TRUST_PROXY: '1', RATE_LIMITS: 'off', CHAT_POLL_MS: '500' }
    const product = await FreshProduct.start(env)
    gateway.passTo(product.origin)
    await use(product)
    await product.dispose()
  },
  behind: async ({ gateway, product }, use) => {
    const { origin } = gateway
    await use(
      Object.create(product, { origin: { value: origin }, url: { value: (path: string) => origin + path } }),
    )
  },
})

const unreachable = (visitor: Visitor) =>
  visitor.panel.getByText("We can't reach the server. We'll keep trying.", { exact: true })

const FOREIGN: [title: string, answer: Foreign][] = [
  ['403 with JSON', { status: 403, body: { error: 'Forbidden' } }],
  ['404 with JSON', { status: 404, body: { message: 'no Route matched with those values' } }],
  [
    '401 with the words of our errors',
    { status: 401, body: { code: 'unauthorized', message: 'No.', requestId: 'x' } },
  ],
  ['200 with JSON', { status: 200, body: { messages: [], data: { seq: 1 }, more: false } }],
  ['a redirect to a page of ours', { status: 302, headers: { location: '/faq' } }],
]

for (const [title, answer] of FOREIGN) {
  test(`a gateway that answers ${title} costs no message and no session`, async ({
    browser,
    behind,
    gateway,
    product,
  }) => {
    const visitor = await Visitor.arrive(browser, behind)
    await visitor.openChat()
    await visitor.send('one')
    const clientId = await visitor.clientId()
    const admin = await Admin.signIn(browser, behind, `/dashboard/messages/${clientId}`)
    await expect(admin.message('one')).toBeVisible()

    gateway.shut(answer)
    await visitor.type('two')
    await visitor.type('three')
    await admin.type('four')
    await expect(unreachable(visitor)).toBeVisible()
    await expect(visitor.panel.getByRole('button', { name: 'Retry' })).toHaveCount(0)
    gateway.reopen()

    for (const text of ['one', 'two', 'three']) await visitor.expectSent(text)
    await expect(admin.message('three')).toBeVisible()
    expect(await visitor.clientId()).toBe(clientId)
    await expect(admin.page).toHaveURL(behind.url(`/dashboard/messages/${clientId}`))
    await expect(admin.page.getByRole('button', { name: 'Sign out' })).toBeVisible()
    const texts = await product.texts(clientId)
    expect(texts.filter((text) => text !== 'four')).toEqual(['one', 'two', 'three'])
  })
}

test('a cache that keeps answers to POST swallows no message', async ({
  browser,
  behind,
  gateway,
  product,
}) => {
  gateway.hasSockets = false
  const visitor = await Visitor.arrive(browser, behind)
  await visitor.openChat()
  await visitor.send('zero')
  gateway.keeps = true
  const texts = ['one', 'two', 'three', 'four']
  for (const text of texts) await visitor.type(text)
  await expect(unreachable(visitor)).toBeVisible()
  gateway.keeps = false
  for (const text of texts) await visitor.expectSent(text)
  expect(await product.texts(await visitor.clientId())).toEqual(['zero', ...texts])
})

test('a file that a gateway finds too large does not hold up the text behind it', async ({
  browser,
  behind,
  gateway,
  product,
}) => {
  await product.configure({ files: true })
  const page = '<html><body><h1>413 Request Entity Too Large</h1></body></html>'
  gateway.decide = ({ bytes }) => (bytes > 1_000_000 ? { status: 413, body: page } : null)
  const visitor = await Visitor.arrive(browser, behind)
  await visitor.openChat()
  const chooser = visitor.page.waitForEvent('filechooser')
  await visitor.page.getByRole('button', { name: 'Attach a file' }).click()
  const buffer = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(2_000_000, 'x')])
  await (await chooser).setFiles([{ name: 'large.pdf', mimeType: 'application/pdf', buffer }])
  const tray = visitor.page.getByRole('list', { name: 'Files to send' })
  await expect(tray.getByText('large.pdf')).toBeVisible()
  await visitor.type('with a file')
  await visitor.type('behind it')
  await expect(
    visitor.panel.getByText("This file (1.9 MB) is larger than this website's server accepts."),
  ).toBeVisible()
  await visitor.expectSent('behind it')
  await visitor.panel.getByRole('button', { name: 'Send without large.pdf' }).click()
  await visitor.expectSent('with a file')
  const clientId = await visitor.clientId()
  await expect.poll(() => product.texts(clientId)).toEqual(['behind it', 'with a file'])
})

test('a form keeps its text when a gateway answers it', async ({ page, behind, gateway }) => {
  gateway.decide = ({ method }) => (method === 'POST' ? { status: 200, body: { message: 'Welcome' } } : null)
  await page.goto(behind.url('/contact'))
  const form = page.locator('form')
  const typed = { Email: 'ada@example.org', Message: 'When is it?' }
  for (const [label, text] of Object.entries(typed)) await form.getByLabel(label).fill(text)
  await form.getByLabel('Title').fill('My exam')
  await form.getByRole('button', { name: 'Send message' }).click()
  await expect(form.getByRole('status')).toHaveText("We can't reach the server. Try again.")
  for (const [label, text] of Object.entries(typed)) await expect(form.getByLabel(label)).toHaveValue(text)
  gateway.reopen()
  await form.getByRole('button', { name: 'Send message' }).click()
  await expect(form.getByRole('status')).toHaveText("Thank you. We'll reply by email.")
})
