import type { Site } from '@proctorpass/shared/schemas/site'
import type { Answered } from '@proctorpass/shared/schemas/suggestion'
import { violations } from './axe.ts'
import { expect, type Hosts, test, Widget } from './embed-hosts.ts'

/** Two sources and nothing else, not even for style sheets. */
const strict = (hosts: Hosts) => ({
  'content-security-policy': `default-src 'none'; script-src ${hosts.origin('chat.test')}; frame-src ${hosts.origin('chat.test')}; require-trusted-types-for 'script'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
})

const call = ({ page }: Widget, ...command: unknown[]) =>
  page.evaluate((args) => {
    ;(window as unknown as { SupportChat(...args: unknown[]): void }).SupportChat(...args)
  }, command)

/** What the page sees of the widget. */
const traces = ({ page }: Widget) =>
  page.evaluate(() => ({
    globals: Object.keys(window).filter((name) => /chat/i.test(name)),
    stored: Object.keys(localStorage),
    cookie: document.cookie,
    styles: document.querySelectorAll('style, link').length,
    outside: [...document.documentElement.children].map(({ tagName }) => tagName),
  }))

const clientIdOf = ({ frame }: Widget, site: string) =>
  frame.evaluate((id) => localStorage.getItem(`site:${id}:clientId`) ?? '', site)

async function send(widget: Widget, text: string): Promise<void> {
  await widget.box.fill(text)
  await widget.box.press('Enter')
}

test('a page that allows two sources gets the chat, and nothing before it is opened', async ({
  hosts,
  widget,
}) => {
  const { page } = widget
  hosts.serve('/strict', hosts.tag, strict(hosts))
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).host + new URL(request.url()).pathname))
  const loader = page.waitForResponse((response) => response.url().endsWith('.js'))
  await page.goto(hosts.url('/strict'))
  expect(Number((await (await loader).allHeaders())['content-length'])).toBeLessThanOrEqual(4_096)
  await expect.poll(() => widget.launcher()).toEqual({ name: 'Live chat', expanded: false })
  expect(await page.evaluate(() => window.crossOriginIsolated)).toBe(true)
  await page.waitForLoadState('networkidle')
  const host = new URL(hosts.url('/')).host
  const chat = new URL(hosts.origin('chat.test')).host
  expect(asked).toEqual([`${host}/strict`, `${chat}/embed/${hosts.site._id}.js`])
  const before = await traces(widget)
  expect(before).toMatchObject({ globals: ['SupportChat'], stored: [], cookie: '', styles: 0 })

  await widget.press()
  await widget.opened()
  await expect(widget.box).toBeFocused()
  expect(await widget.launcher()).toEqual({ name: 'Live chat', expanded: true })
  await send(widget, 'hello from the shop')
  const clientId = await clientIdOf(widget, hosts.site._id)
  await expect.poll(() => hosts.product.texts(clientId)).toEqual(['hello from the shop'])
  await expect.poll(async () => (await traces(widget)).stored).toEqual(['SupportChat'])
  const known = () => hosts.product.known(clientId)
  await expect.poll(async () => (await known()).page).toBe(hosts.url('/strict'))

  await page.keyboard.press('Escape')
  await expect.poll(() => widget.launcher()).toEqual({ name: 'Live chat', expanded: false })
  // The launcher has the focus again.
  await page.keyboard.press('Enter')
  await expect(widget.box).toBeFocused()
  await page.keyboard.press('Escape')

  // From now on the frame loads by itself, hidden, and shows how much is unread.
  await page.reload()
  await hosts.product.reply(clientId, 'hello, shopper')
  await expect.poll(() => widget.launcher()).toEqual({ name: 'Live chat, 1 unread message', expanded: false })
  await widget.press()
  await expect(widget.frame.getByText('hello, shopper')).toBeVisible()
  await expect.poll(async () => (await widget.launcher())?.name).toBe('Live chat')
  expect(widget.complaints).toEqual([])
})

test('axe finds nothing in page, launcher and panel, in both color schemes', async ({ hosts, widget }) => {
  const { page } = widget
  // axe enters only open shadow roots.
  await page.addInitScript(() => {
    const { attachShadow } = Element.prototype
    Element.prototype.attachShadow = function (init) {
      return attachShadow.call(this, { ...init, mode: 'open' })
    }
  })
  hosts.serve('/axe', hosts.tag)
  await page.goto(hosts.url('/axe'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await widget.press()
  await widget.opened()
  await expect(page.locator('button.launcher')).toBeVisible()
  const found: Record<string, string[]> = {}
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found[colorScheme] = [...(await violations(page)), ...(await violations(widget.frame))]
  }
  expect(found).toEqual({ light: [], dark: [] })
})

test("the panel has the site's color, with readable words in light and dark", async ({ hosts, widget }) => {
  const { page } = widget
  const { product, site } = hosts
  const look = { ...site.look, color: '#ffe600' }
  const { data } = await product.callAsAdmin<{ data: Site }>('POST', '/sites', {
    name: 'Yellow',
    origins: site.origins,
    look,
  })
  hosts.serve('/yellow', hosts.tag.replace(site._id, data._id))
  await page.goto(hosts.url('/yellow'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await widget.press()
  await widget.opened()
  const header = widget.frame.locator('.chat-header')
  await expect(header).toHaveCSS('background-color', 'rgb(255, 230, 0)')
  await expect(header).toHaveCSS('color', 'rgb(0, 0, 0)')
  await send(widget, 'hello')
  await expect(widget.frame.getByText('Sent')).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(widget.frame)).toEqual([])
  }
  await product.callAsAdmin('DELETE', `/sites/${data._id}`)
})

test('a hostile page neither breaks the widget nor is broken by it', async ({ hosts, widget }) => {
  const { page } = widget
  const patches = `<script>
    window.problems = []
    addEventListener('error', (event) => problems.push(event.message))
    delete Array.from
    delete Object.hasOwn
    Array.prototype.forEach = Array.prototype.map = Array.prototype.push = () => { throw new Error('patched') }
    Array.prototype[Symbol.iterator] = () => { throw new Error('patched') }
    Array.prototype.extra = Object.prototype.extra = () => {}
    String.prototype.replace = () => { throw new Error('patched') }
    Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error('patched') }
    window.requestIdleCallback = undefined
    window.onmessage = () => problems.push('message')
  </script>`
  const css =
    '<style>body * { display: none !important } button { position: static !important } div { opacity: 0; visibility: hidden; transform: scale(0) }</style>'
  hosts.serve('/hostile', css + patches + hosts.tag + hosts.tag)
  await page.goto(hosts.url('/hostile'))
  await expect.poll(() => widget.launcher()).toMatchObject({ name: 'Live chat' })
  await widget.value(`(() => {
    const body = document.createElement('body')
    body.textContent = 'Another page'
    document.body.replaceWith(body)
  })()`)
  await widget.press()
  await widget.opened()
  await expect(widget.box).toBeFocused()
  expect(widget.frames).toHaveLength(1)
  // The whole document is another one.
  await widget.value(`(() => {
    const html = document.createElement('html')
    html.append(document.createElement('head'), document.createElement('body'))
    document.documentElement.replaceWith(html)
  })()`)
  await widget.opened()
  await widget.value("SupportChat('destroy')")
  expect(
    await widget.value("document.querySelectorAll('html > div').length + ' ' + ('SupportChat' in window)"),
  ).toBe('0 false')
  await expect.poll(() => widget.frames).toEqual([])
  expect(await widget.value('problems.join()')).toBe('')
})

test('the script of a page calls and listens', async ({ hosts, widget }) => {
  const { page } = widget
  const stub = `<script>
    window.SupportChat = window.SupportChat || function () { (SupportChat.q = SupportChat.q || []).push(arguments) }
    window.heard = []
    window.posted = []
    addEventListener('message', ({ data }) => posted.push(data))
    for (const name of ['open', 'close', 'unread', 'sent', 'received', 'ready', 'error'])
      SupportChat('on', name, (value) => heard.push(value === undefined ? name : name + ' ' + value))
    SupportChat('on', 'open', () => { throw new Error('of the page') })
    SupportChat('prefill', 'I have a question')
    SupportChat('page', '/checkout?step=2')
    SupportChat('profile', { name: 'Ada', email: 'ada@example.com' })
  </script>`
  const warnings: string[] = []
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  hosts.serve('/script', stub + hosts.tag)
  await page.goto(hosts.url('/script'))
  const heard = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard)
  await expect.poll(heard).toEqual(['ready'])
  await call(widget, 'open')
  await widget.opened()
  await expect(widget.box).toHaveValue('I have a question')
  await call(widget, 'prefill', 'not into a box with a text')
  await expect(widget.box).toHaveValue('I have a question')
  await widget.box.press('Enter')
  await expect.poll(heard).toEqual(['ready', 'open', 'sent'])
  const clientId = await clientIdOf(widget, hosts.site._id)
  const known = () => hosts.product.known(clientId)
  await expect.poll(async () => (await known()).name).toBe('Ada')
  await expect.poll(async () => (await known()).page).toBe(hosts.url('/checkout'))
  await call(widget, 'page', null)
  await page.evaluate(() => history.pushState(null, '', '/next'))
  await expect.poll(async () => (await known()).page).toBe(hosts.url('/next'))

  await call(widget, 'close')
  await hosts.product.reply(clientId, 'yes?')
  await expect.poll(heard).toEqual(['ready', 'open', 'sent', 'close', 'received', 'unread 1'])
  await call(widget, 'locale', 'zh')
  await expect.poll(async () => (await widget.launcher())?.name).toMatch(/^在线客服/)
  await call(widget, 'locale', null)
  await call(widget, 'profile', { email: 'no address' })
  await expect.poll(heard).toContain('error invalid-input')
  await call(widget, 'hide')
  await expect.poll(() => widget.launcher()).toBeNull()
  await call(widget, 'show')
  await expect.poll(() => widget.launcher()).toMatchObject({ expanded: false })

  warnings.length = 0
  for (const wrong of [
    ['fly'],
    ['prefill', 7],
    ['page', 'checkout'],
    ['profile', { name: 7 }],
    ['on', 'nothing'],
  ])
    await call(widget, ...wrong)
  expect(warnings.filter((text) => text.startsWith('SupportChat: '))).toHaveLength(5)
  expect(widget.complaints).toEqual([])

  // Nothing that names the conversation or opens it has reached the page.
  const seen = await page.evaluate(() => {
    const { heard, posted } = window as unknown as { heard: string[]; posted: unknown[] }
    return JSON.stringify([heard, posted, localStorage, document.cookie, document.documentElement.outerHTML])
  })
  const secrets = await widget.frame.evaluate(() => Object.values({ ...localStorage }))
  expect(secrets).toContain(clientId)
  expect(secrets.filter((value) => value.length >= 20 && seen.includes(value))).toEqual([])

  // Nothing of the visitor stays.
  await call(widget, 'logout')
  await expect.poll(async () => (await traces(widget)).stored).toEqual([])
  await call(widget, 'open')
  await widget.opened()
  await expect(widget.frame.getByText('yes?')).toHaveCount(0)
  expect(await clientIdOf(widget, hosts.site._id)).not.toBe(clientId)
})

test('only pages of the site frame the panel and talk to it', async ({ hosts, widget }) => {
  const { page } = widget
  const frameUrl = `${hosts.origin('chat.test')}/embed/${hosts.site._id}`
  // A page that is not of the site.
  hosts.serve('/copy', `${hosts.tag}<iframe src="${frameUrl}"></iframe>`)
  await page.goto(hosts.url('/copy', 'evil.test'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await call(widget, 'open')
  await expect
    .poll(() => page.frames().map((frame) => frame.url()))
    .toEqual([
      hosts.url('/copy', 'evil.test'),
      'chrome-error://chromewebdata/',
      'chrome-error://chromewebdata/',
    ])

  // Without a hello the frame shows nothing, and it takes none of a neighbor, even of the site, nor one of its own.
  hosts.serve(
    '/neighbor',
    `<script>
    const say = () => { for (let at = 0; at < parent.frames.length; at++)
      parent.frames[at].postMessage({ type: 'support-chat:hello', open: true, page: '/forged', locale: null, token: null, test: null, logout: false }, '*', [new MessageChannel().port2]) }
    addEventListener('message', say)
  </script>`,
  )
  hosts.serve(
    '/around',
    `<iframe src="${frameUrl}"></iframe><iframe src="${hosts.url('/neighbor', 'www.shop.test')}"></iframe>`,
  )
  await page.goto(hosts.url('/around'))
  const [, frame, neighbor] = page.frames()
  await page.evaluate(() => frames[1]?.postMessage('go', '*'))
  await neighbor?.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
  await frame?.evaluate(
    (type) => postMessage({ type, open: true }, '*', [new MessageChannel().port2]),
    'support-chat:hello',
  )
  expect(await frame?.evaluate(() => document.getElementById('root')?.childElementCount)).toBe(0)
  // The parent is heard, once: a second hello is ignored.
  await page.evaluate((origin) => {
    for (const path of ['/first', '/second'])
      frames[0]?.postMessage(
        {
          type: 'support-chat:hello',
          open: true,
          sheet: false,
          page: path,
          locale: null,
          token: null,
          test: null,
          logout: false,
        },
        origin,
        [new MessageChannel().port2],
      )
  }, hosts.origin('chat.test'))
  if (frame === undefined) throw new Error('the page has no frame')
  await frame.locator('.chat-input').fill('which hello did you hear?')
  await frame.locator('.chat-input').press('Enter')
  const id = hosts.site._id
  const clientId = await frame.evaluate((site) => localStorage.getItem(`site:${site}:clientId`) ?? '', id)
  await expect
    .poll(async () => (await hosts.product.known(clientId)).page)
    .toBe(hosts.url('/first').replace(/[?#].*/, ''))

  // As a page of its own it has no parent.
  await page.goto(frameUrl)
  await page.evaluate(
    (type) => postMessage({ type, open: true, page: '/' }, '*', [new MessageChannel().port2]),
    'support-chat:hello',
  )
  expect(await page.evaluate(() => document.getElementById('root')?.childElementCount)).toBe(0)
})

test('on a phone the panel is a sheet, and the page scrolls as before afterwards', async ({ hosts }) => {
  const context = await hosts.browser.newContext({
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  const widget = new Widget(page)
  hosts.serve(
    '/phone',
    `<script>document.body.style.setProperty('overflow', 'auto', 'important')</script>${hosts.tag}`,
  )
  await page.goto(hosts.url('/phone'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await page.evaluate(() => window.scrollTo(0, 500))
  const state = () =>
    page.evaluate(() => [
      scrollY,
      document.documentElement.getAttribute('style'),
      document.body.getAttribute('style'),
    ])
  const before = await state()
  await call(widget, 'open')
  await widget.opened()
  expect(await widget.frame.evaluate(() => [innerWidth, innerHeight])).toEqual([390, 780])
  expect(await state()).toEqual([before[0], null, 'overflow: hidden !important;'])
  expect(before[2]).toBe('overflow: auto !important;')
  await widget.frame.getByRole('button', { name: 'Close' }).tap()
  await expect.poll(state).toEqual(before)

  // A page that sets one axis only.
  const oneAxis = 'overflow-x: hidden; overflow-y: scroll !important;'
  await page.evaluate((style) => document.body.setAttribute('style', style), oneAxis)
  await page.evaluate(() => document.documentElement.setAttribute('style', 'overflow-x: clip;'))
  await call(widget, 'open')
  await expect.poll(async () => (await state())[2]).toBe('overflow: hidden !important;')
  await widget.frame.getByRole('button', { name: 'Close' }).tap()
  await expect.poll(async () => (await state()).slice(1)).toEqual(['overflow-x: clip;', oneAxis])
  await context.close()
})

test('two reloads in a row under load lose and repeat nothing', async ({ hosts, widget }) => {
  const { page } = widget
  hosts.serve('/reloads', hosts.tag)
  await page.goto(hosts.url('/reloads'))
  await call(widget, 'open')
  await widget.opened()
  await send(widget, 'message 0')
  const clientId = await clientIdOf(widget, hosts.site._id)
  await expect.poll(() => hosts.product.texts(clientId)).toHaveLength(1)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const texts = ['message 0']
  for (let round = 0; round < 3; round++) {
    await call(widget, 'open')
    await widget.opened()
    for (let index = 0; index < 4; index++) {
      const text = `message ${texts.length}`
      texts.push(text)
      await send(widget, text)
    }
    await page.reload({ waitUntil: 'commit' })
    // The first one may still be on its way.
    await expect(() => page.reload({ waitUntil: 'load', timeout: 10_000 })).toPass()
    await expect.poll(() => page.evaluate(() => 'SupportChat' in window)).toBe(true)
  }
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await expect.poll(() => hosts.product.texts(clientId)).toEqual(texts)
})

test('what no socket has acknowledged is sent when the page is left', async ({ hosts, widget }) => {
  const { page } = widget
  hosts.serve('/left', hosts.tag)
  await page.goto(hosts.url('/left'))
  await call(widget, 'open')
  await widget.opened()
  await send(widget, 'stored')
  const clientId = await clientIdOf(widget, hosts.site._id)
  await expect.poll(() => hosts.product.texts(clientId)).toEqual(['stored'])
  // A connection that loses this message.
  const commands: string[] = []
  await page.routeWebSocket(/socket/, (client) => {
    const server = client.connectToServer()
    client.onMessage((packet) => {
      commands.push(String(packet))
      if (!packet.includes('not acknowledged')) server.send(packet)
    })
  })
  const hasSent = (text: string) =>
    expect.poll(() => commands.some((command) => command.includes(text))).toBe(true)
  await page.reload()
  await call(widget, 'open')
  await widget.opened()
  await hasSent('conversation:sync')
  await send(widget, 'not acknowledged')
  await hasSent('not acknowledged')
  await page.goto('about:blank')
  await expect.poll(() => hosts.product.texts(clientId)).toEqual(['stored', 'not acknowledged'])
})

test('a page with an open conversation comes back from the back/forward cache', async ({ hosts }) => {
  const { page, end } = await hosts.openCachingBrowser()
  const widget = new Widget(page)
  hosts.serve('/cached', hosts.tag)
  await page.goto(hosts.url('/cached'))
  await call(widget, 'open')
  await widget.opened()
  await send(widget, 'before')
  const clientId = await clientIdOf(widget, hosts.site._id)
  await expect.poll(() => hosts.product.texts(clientId)).toEqual(['before'])
  // The page that made the clientId holds a lock for a while, and a page with a lock is not cached.
  await page.reload()
  await call(widget, 'open')
  await widget.opened()
  await expect(widget.frame.getByText('before')).toBeVisible()
  await page.evaluate(() => {
    const note = (name: string, value: string) => document.documentElement.setAttribute(`data-${name}`, value)
    addEventListener('pageshow', ({ persisted }) => note('persisted', String(persisted)))
    const { SupportChat } = window as unknown as { SupportChat(...args: unknown[]): void }
    SupportChat('on', 'received', () => note('received', 'true'))
  })
  hosts.serve('/elsewhere', '')
  await page.goto(hosts.url('/elsewhere', 'evil.test'))
  await hosts.product.reply(clientId, 'you were away')
  await page.goBack({ waitUntil: 'commit' })
  await expect(page.locator('html')).toHaveAttribute('data-persisted', 'true')
  // Playwright finds no frames in a page that came back.
  await expect(page.locator('html')).toHaveAttribute('data-received', 'true')
  await end()
})

test('pages of ours that may answer are found, shown and counted inside the frame', async ({
  hosts,
  widget,
}) => {
  hosts.serve('/suggested', hosts.tag, strict(hosts))
  const { page } = widget
  const toHost: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).hostname === 'shop.test') toHost.push(new URL(request.url()).pathname)
  })
  await page.goto(hosts.url('/suggested'))
  await expect.poll(() => widget.launcher()).not.toBe(null)
  await widget.press()
  await widget.opened()
  await widget.box.pressSequentially('can I move my exam')
  const { frame } = widget
  const question = 'Can I move my exam to another date?'
  await frame.getByRole('button', { name: question }).click()
  const answer = frame.getByRole('region', { name: question })
  await expect(answer.getByText('at least 48 hours ahead')).toBeVisible()
  for (const link of await answer.getByRole('link').all()) {
    await expect(link).toHaveAttribute('target', '_blank')
  }
  const today = new Date().toISOString().slice(0, 10)
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1_000).toISOString().slice(0, 10)
  const figures = async () => {
    const path = `/suggestions/answered?from=${today}&to=${tomorrow}`
    const { pages } = await hosts.product.callAsAdmin<Answered>('GET', path)
    return pages.map(({ opened, answered }) => [opened, answered])
  }
  await expect.poll(figures).toEqual([[1, 1]])
  await page.keyboard.press('Escape')
  await expect(answer).toBeHidden()
  await expect(widget.box).toHaveValue('can I move my exam')
  await widget.box.press('Enter')
  await expect.poll(figures).toEqual([[1, 0]])
  expect(toHost).toEqual(['/suggested'])
  expect(widget.complaints).toEqual([])
})
