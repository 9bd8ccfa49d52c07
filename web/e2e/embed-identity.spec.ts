import { createHmac } from 'node:crypto'
import { expect, type Hosts, test, Widget } from './embed-hosts.ts'

const call = ({ page }: Widget, ...command: unknown[]) =>
  page.evaluate((args) => {
    ;(window as unknown as { SupportChat(...args: unknown[]): void }).SupportChat(...args)
  }, command)

const clientIdOf = ({ frame }: Widget, { site }: Hosts) =>
  frame.evaluate((id) => localStorage.getItem(`site:${id}:clientId`) ?? '', site._id)

async function send(widget: Widget, text: string): Promise<void> {
  await widget.box.fill(text)
  await widget.box.press('Enter')
}

async function secretOf({ product, site }: Hosts): Promise<string> {
  const { secret } = await product.callAsAdmin<{ secret: string }>('POST', `/sites/${site._id}/secrets`)
  return secret
}

function tokenFor(sub: string, secret: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub, exp })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

test('a signed visitor has one conversation, which the next person never sees', async ({ hosts, widget }) => {
  const { page } = widget
  const secret = await secretOf(hosts)
  hosts.serve('/signed', hosts.tag)
  await page.goto(hosts.url('/signed'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  // Before the panel is open nothing is asked.
  await call(widget, 'identify', tokenFor('ada', secret))
  expect(widget.frames).toEqual([])
  await call(widget, 'open')
  await widget.opened()
  await send(widget, 'from Ada')
  const ada = await clientIdOf(widget, hosts)
  await expect.poll(() => hosts.product.texts(ada)).toEqual(['from Ada'])

  // On another device.
  const context = await hosts.browser.newContext({ viewport: { width: 1280, height: 800 } })
  const other = new Widget(await context.newPage())
  await other.page.goto(hosts.url('/signed'))
  await expect.poll(() => other.launcher()).not.toBeNull()
  await call(other, 'identify', tokenFor('ada', secret))
  await call(other, 'open')
  await other.opened()
  await expect(other.frame.getByText('from Ada')).toBeVisible()
  await context.close()

  // A wrong token changes nothing but that the page hears of it.
  await page.evaluate(() => {
    const { SupportChat } = window as unknown as { SupportChat(...args: unknown[]): void }
    SupportChat('on', 'error', (code: string) => document.body.setAttribute('data-error', code))
  })
  await call(widget, 'identify', tokenFor('ada', `pps_${'x'.repeat(43)}`))
  await expect(page.locator('body')).toHaveAttribute('data-error', 'bad-identity')

  // Another person, in the same browser.
  await widget.frame.evaluate(() => {
    const watched = window as unknown as { seen: string[] }
    watched.seen = []
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const { textContent } of addedNodes) watched.seen.push(textContent ?? '')
    }).observe(document.body, { childList: true, subtree: true })
  })
  await call(widget, 'identify', tokenFor('bob', secret))
  await expect.poll(() => clientIdOf(widget, hosts)).not.toBe(ada)
  await widget.opened()
  await send(widget, 'from Bob')
  await expect(widget.frame.getByText('from Bob')).toBeVisible()
  const seen = await widget.frame.evaluate(() => (window as unknown as { seen: string[] }).seen.join('\n'))
  expect(seen).toContain('from Bob')
  expect(seen).not.toContain('from Ada')
  expect(await hosts.product.texts(ada)).toEqual(['from Ada'])
})

test('a cookie of this website alone brings the conversation back, until the visitor logs out', async ({
  hosts,
  widget,
}) => {
  const { page } = widget
  hosts.serve('/remembered', hosts.tag)
  await page.goto(hosts.url('/remembered'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await call(widget, 'open')
  await widget.opened()
  const cookies = async () =>
    (await page.context().cookies()).filter(({ name }) => name === `__Host-chat-${hosts.site._id}`)
  expect(await cookies()).toEqual([])
  await send(widget, 'remember me')
  await expect.poll(async () => (await cookies()).length).toBe(1)
  expect((await cookies())[0]).toMatchObject({
    ...{ httpOnly: true, secure: true, sameSite: 'None', path: '/' },
    partitionKey: 'https://shop.test',
  })
  const clientId = await clientIdOf(widget, hosts)

  // As Safari does when it quits.
  await widget.frame.evaluate(() => localStorage.clear())
  // A gateway answers for a moment.
  await page.route('**/restore', (route) => route.fulfill({ status: 403, json: { error: 'Forbidden' } }), {
    times: 1,
  })
  await page.reload()
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await call(widget, 'open')
  await widget.opened()
  await expect(widget.frame.getByText('remember me')).toBeVisible()
  expect(await clientIdOf(widget, hosts)).toBe(clientId)

  await call(widget, 'logout')
  await expect.poll(cookies).toEqual([])
  await widget.opened()
  await expect(widget.frame.getByText('remember me')).toHaveCount(0)
  await page.reload()
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await call(widget, 'open')
  await widget.opened()
  await expect(widget.frame.getByText('remember me')).toHaveCount(0)
})

test('a conversation that begins after an erase has a cookie of its own', async ({ hosts, widget }) => {
  const { page } = widget
  hosts.serve('/erased', hosts.tag)
  const arrive = async () => {
    await expect.poll(() => widget.launcher()).not.toBeNull()
    await call(widget, 'open')
    await widget.opened()
  }
  const cookie = async () =>
    (await page.context().cookies()).find(({ name }) => name === `__Host-chat-${hosts.site._id}`)?.value
  await page.goto(hosts.url('/erased'))
  await arrive()
  await send(widget, 'before the erase')
  await expect.poll(cookie).toBeDefined()
  const first = await cookie()
  await hosts.product.callAsAdmin('DELETE', `/chat/${await clientIdOf(widget, hosts)}`)
  await expect(widget.frame.getByText('before the erase')).toHaveCount(0)
  await send(widget, 'after the erase')
  await expect.poll(cookie).not.toBe(first)

  // As Safari does when it quits.
  await widget.frame.evaluate(() => localStorage.clear())
  await page.reload()
  await arrive()
  await expect(widget.frame.getByText('after the erase')).toBeVisible()
})

test('the cookie of a signed visitor brings nothing back for another one, nor after a logout', async ({
  hosts,
  widget,
}) => {
  const { page } = widget
  const secret = await secretOf(hosts)
  hosts.serve('/shared', hosts.tag)
  const arrive = async (token: string) => {
    await page.goto(hosts.url('/shared'))
    await expect.poll(() => widget.launcher()).not.toBeNull()
    await call(widget, 'identify', token)
    await call(widget, 'open')
    await widget.opened()
  }
  const cookies = async () => (await page.context().cookies()).length
  await arrive(tokenFor('eve', secret))
  await send(widget, 'from Eve')
  await expect.poll(cookies).toBe(1)
  const eve = await clientIdOf(widget, hosts)
  await widget.frame.evaluate(() => localStorage.clear())
  // The server refuses it, so nothing takes the place of what the browser has.
  await arrive(tokenFor('kim', `pps_${'x'.repeat(43)}`))
  await expect(widget.frame.getByText('from Eve')).toHaveCount(0)
  expect(await clientIdOf(widget, hosts)).not.toBe(eve)
  await expect.poll(cookies).toBe(0)

  // The cookie is on its way when the visitor logs out.
  const held = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await page.route('**/remember', async (route) => {
    if (route.request().method() === 'POST') {
      asked.resolve()
      await held.promise
    }
    await route.continue()
  })
  const ended = (method: string) =>
    page.waitForResponse(
      (response) => response.url().endsWith('/remember') && response.request().method() === method,
    )
  const both = Promise.all([ended('POST'), ended('DELETE')])
  await send(widget, 'from Kim')
  await asked.promise
  const kim = await clientIdOf(widget, hosts)
  await call(widget, 'logout')
  await expect.poll(() => clientIdOf(widget, hosts)).not.toBe(kim)
  held.resolve()
  await both
  expect(await cookies()).toBe(0)
})

test('a logout removes the cookie once the server is reachable again', async ({ hosts, widget }) => {
  const { page } = widget
  hosts.serve('/shared', hosts.tag)
  await page.goto(hosts.url('/shared'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  await call(widget, 'open')
  await widget.opened()
  await send(widget, 'from a visitor')
  const cookies = async () => (await page.context().cookies()).length
  await expect.poll(cookies).toBe(1)
  const lost = page.waitForRequest((request) => request.method() === 'DELETE')
  await page.route('**/remember', (route) => route.abort(), { times: 1 })
  await call(widget, 'logout')
  await lost
  await expect.poll(cookies, { timeout: 30_000 }).toBe(0)
})
