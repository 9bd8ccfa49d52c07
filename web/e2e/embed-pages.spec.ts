import { expect, type Hosts, test, Widget } from './embed-hosts.ts'

const call = ({ page }: Widget, ...command: unknown[]) =>
  page.evaluate((args) => {
    ;(window as unknown as { SupportChat(...args: unknown[]): void }).SupportChat(...args)
  }, command)

const boxOfPanel = async ({ frame }: Widget) => (await frame.frameElement()).boundingBox()

const screen = { x: 0, y: 0, width: 1280, height: 720 }
const isInside = (box: typeof screen | null) =>
  box !== null &&
  box.x >= 0 &&
  box.y >= 0 &&
  box.x + box.width <= screen.width + 1 &&
  box.y + box.height <= screen.height + 1

async function writes(widget: Widget, hosts: Hosts, text: string): Promise<void> {
  await widget.box.fill(text)
  await widget.box.press('Enter')
  const clientId = await widget.frame.evaluate(
    (id) => localStorage.getItem(`site:${id}:clientId`) ?? '',
    hosts.site._id,
  )
  await expect.poll(() => hosts.product.texts(clientId)).toContain(text)
}

for (const style of [
  'zoom: 1.25',
  'zoom: 0.8',
  'transform: translateX(0)',
  'transform: scale(1)',
  'zoom: 1.5; transform: translateZ(0)',
]) {
  test(`the launcher and the whole panel are on the screen of a page with html { ${style} }`, async ({
    hosts,
    widget,
  }) => {
    await widget.page.setViewportSize(screen)
    hosts.serve('/scaled', `<style>html { ${style} }</style>${hosts.tag}`)
    await widget.page.goto(hosts.url('/scaled'))
    await expect.poll(() => widget.launcher()).not.toBeNull()
    await widget.press()
    await widget.opened()
    const box = await boxOfPanel(widget)
    expect(isInside(box), JSON.stringify(box)).toBe(true)
    await writes(widget, hosts, 'hello')
  })
}

test('a sheet keeps a new body of the page from scrolling, and gives both back', async ({ hosts }) => {
  const context = await hosts.browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true })
  const page = await context.newPage()
  const widget = new Widget(page)
  hosts.serve('/swapped', hosts.tag)
  await page.goto(hosts.url('/swapped'))
  await call(widget, 'open')
  await widget.opened()
  await page.evaluate(() => {
    const body = document.createElement('body')
    body.innerHTML = '<p style="height: 3000px">Another page</p>'
    document.body.replaceWith(body)
  })
  const overflow = () => page.evaluate(() => getComputedStyle(document.body).overflowY)
  await expect.poll(overflow).toBe('hidden')
  await call(widget, 'close')
  await expect.poll(overflow).toBe('visible')
  expect(await page.evaluate(() => document.body.getAttribute('style'))).toBeNull()
  await context.close()
})

test('a page that is written again by document.write has a launcher that works', async ({
  hosts,
  widget,
}) => {
  const { page } = widget
  hosts.serve('/written', hosts.tag)
  await page.goto(hosts.url('/written'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  for (const tag of ['', hosts.tag]) {
    await page.evaluate((again) => {
      document.open()
      document.write(`<!doctype html><title>Again</title><h1>Written again</h1>${again}`)
      document.close()
    }, tag)
    await expect(page.getByRole('heading', { name: 'Written again' })).toBeVisible()
    await expect.poll(() => widget.launcher()).toEqual({ name: 'Live chat', expanded: false })
    await widget.press()
    await widget.opened()
    await writes(widget, hosts, `after ${tag.length}`)
    expect(widget.frames).toHaveLength(1)
  }
})

test('Send works in a sandbox that forbids forms', async ({ hosts, widget }) => {
  const { page } = widget
  hosts.serve('/plain', hosts.tag)
  hosts.serve(
    '/builder',
    `<iframe src="${hosts.url('/plain')}" sandbox="allow-scripts allow-same-origin" style="position:fixed;inset:0;width:1100px;height:700px"></iframe>`,
  )
  await page.goto(hosts.url('/builder'))
  await expect.poll(() => page.frames().some((frame) => frame.url() === hosts.url('/plain'))).toBe(true)
  const inner = page.frames().find((frame) => frame.url() === hosts.url('/plain'))
  await expect
    .poll(() => inner?.evaluate(() => typeof (window as unknown as { SupportChat?: unknown }).SupportChat))
    .toBe('function')
  await inner?.evaluate(() => (window as unknown as { SupportChat(name: string): void }).SupportChat('open'))
  await widget.opened()
  await widget.box.fill('pressed')
  await widget.frame.getByRole('button', { name: 'Send' }).click()
  await expect(widget.frame.getByText('pressed')).toBeVisible()
  await expect(widget.box).toHaveValue('')
})

for (const attributes of [
  'defer crossorigin="anonymous" referrerpolicy="no-referrer"',
  'type="module" async',
]) {
  test(`the tag works with ${attributes}`, async ({ hosts, widget }) => {
    hosts.serve('/attributes', hosts.tag.replace('async', attributes))
    await widget.page.goto(hosts.url('/attributes'))
    await expect.poll(() => widget.launcher()).not.toBeNull()
    expect(widget.complaints).toEqual([])
  })
}

test('the launcher waits until React has hydrated the whole document', async ({ hosts, widget }) => {
  const { page } = widget
  // As React 18 does it: any element that the server did not render is an error.
  const hydrate = `<script type="module">
    const held = () => new Promise((resolve) => setTimeout(resolve, 20))
    document.__reactContainer$test = {}
    for (let round = 0; round < 20; round++) await held()
    window.recovered = [...document.documentElement.children].map(({ tagName }) => tagName).join()
    document.documentElement.__reactFiber$test = {}
  </script>`
  hosts.serve('/hydrated', hosts.tag + hydrate)
  await page.goto(hosts.url('/hydrated'))
  await expect.poll(() => widget.launcher()).not.toBeNull()
  expect(await widget.value('recovered')).toBe('HEAD,BODY')
})
