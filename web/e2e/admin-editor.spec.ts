import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { HOSTILE_HTML } from '../../api/test/post-html-samples.ts'
import { temporaryDir } from '../../api/test/server-process.ts'
import { editor, fillIn, photograph, publish, save } from './editor.ts'
import { Admin } from './people.ts'
import { expect, test } from './test.ts'

const JWT_SECRET = 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW'

test.use({ env: { RATE_LIMITS: 'off', JWT_SECRET } })

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true }
const PLAYER = 'https://www.youtube-nocookie.com'

/** Drops files with the browser's own drag events. */
async function drop(page: Page, target: Locator, files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error('The drop target is not on the screen.')
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', {
      type,
      x: box.x + 5,
      y: box.y + box.height / 2,
      data: { items: [], files, dragOperationsMask: 1 },
    })
  }
  await session.detach()
}

test('an image dropped into the text is uploaded and inserted there', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  const folder = temporaryDir('drop')
  const files = [join(folder.path, 'desk.jpg'), join(folder.path, 'notes.txt')]
  writeFileSync(files[0] ?? '', await photograph())
  writeFileSync(files[1] ?? '', 'not an image')
  await fillIn(page, 'Dropped')
  // Dropped outside the text, it does not replace the page.
  await drop(page, page.getByText('Blog Content', { exact: true }), files)
  await drop(page, editor(page).locator('p').first(), files)
  const picture = editor(page).locator('img')
  await expect(picture).toHaveAttribute('src', /^\/uploads\/[0-9a-f]{40}\.jpg$/)
  await expect(picture).toHaveCount(1)
  await expect(page.getByText(/Uploading|Preparing/)).toHaveCount(0)
  await page
    .getByRole('group', { name: 'Image 1 of 1' })
    .getByLabel('Alt text', { exact: true })
    .fill('A desk')
  await publish(page)
  await page.goto(product.url('/blog/dropped'))
  await expect(page.locator('.prose img')).toHaveAttribute('width', '1600')
  expect(admin.complaints).toEqual([])
  folder.remove()
  await admin.leave()
})

test('an upload shows its progress, and typing stays possible', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog', PHONE)
  const { page } = admin
  await editor(page).fill('Before.')
  await editor(page).press('End')
  const network = await page.context().newCDPSession(page)
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 20_000,
  })
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const large = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#888', noise } })
    .jpeg({ quality: 90 })
    .toBuffer()
  await page.getByRole('button', { name: 'Image', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Image' })
  await dialog.getByLabel('File').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: large })
  await dialog.getByLabel('Alt text', { exact: true }).fill('Noise')
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(page.getByText('Uploading the image…')).toBeVisible()
  const shares: number[] = []
  await expect
    .poll(async () => {
      const words = await page.locator('.rich-text-upload .work-progress').textContent()
      shares.push(Number.parseInt(words ?? '', 10))
      return shares.some((share) => share > 0 && share < 100)
    })
    .toBe(true)
  await editor(page).press('Control+Home')
  await page.keyboard.type('Written meanwhile. ')
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  await expect(editor(page).locator('p > img')).toHaveAttribute('alt', 'Noise')
  await page.keyboard.type('And on.')
  await expect(editor(page).locator('p').first()).toHaveText('Written meanwhile. And on.Before.')
  expect(
    await editor(page)
      .locator('p')
      .first()
      .evaluate((line) => line.lastChild?.nodeName),
  ).toBe('IMG')
  await admin.leave()
})

test('the caret stands behind an inserted item, and typing does not extend a link', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog', PHONE)
  const { page } = admin
  await page.route(`${PLAYER}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  const insert = async (what: string, address: string) => {
    await page.getByRole('button', { name: what, exact: true }).click()
    await page.getByLabel('Address').fill(address)
    await page.getByRole('button', { name: 'Insert' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await editor(page).click()
  await page.keyboard.type('Read ')
  await insert('Link', '/faq')
  await page.keyboard.type(' first.')
  await insert('Video', 'https://youtu.be/dQw4w9WgXcQ')
  await page.keyboard.type('Then this.')
  await expect(editor(page).locator('p').first()).toHaveText('Read /faq first.')
  await expect(editor(page).locator('a')).toHaveText('/faq')
  await expect(editor(page).locator('iframe + p')).toHaveText('Then this.')

  // With the caret inside, the whole link changes.
  await editor(page).locator('a').click()
  await insert('Link', 'https://example.com/help')
  await expect(editor(page).locator('a')).toHaveAttribute('href', 'https://example.com/help')
  await expect(editor(page).locator('a')).toHaveText('/faq')
  await admin.leave()
})

test('a video is sandboxed, from allowed hosts only, and can go full screen', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  // Replaces the player, which tests cannot reach: tries what a player may and may not do.
  const player = `<button>Full screen</button><p></p><script>
    const note = (words) => { document.querySelector('p').textContent += words + ' ' }
    document.querySelector('button').onclick = () => document.documentElement.requestFullscreen()
      .then(() => note('filled'), (error) => note(error.name))
    try { top.location = 'about:blank'; } catch (error) { note('top:' + error.name) }
    note('popup:' + window.open('about:blank'))
  </script>`
  await page.route(`${PLAYER}/**`, (route) => route.fulfill({ contentType: 'text/html', body: player }))
  await fillIn(page, 'Moving')
  await page.getByRole('button', { name: 'Video' }).click()
  const address = page.getByLabel('Address')
  for (const wrong of ['https://evil.example/watch?v=dQw4w9WgXcQ', 'javascript:alert(1)', 'youtube.com']) {
    await address.fill(wrong)
    await page.getByRole('button', { name: 'Insert' }).click()
    await expect(page.getByText('Enter the address of a YouTube or Vimeo video')).toBeVisible()
  }
  await address.fill('https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1')
  await page.getByRole('button', { name: 'Insert' }).click()
  await expect(editor(page).locator('iframe')).toHaveAttribute('src', `${PLAYER}/embed/dQw4w9WgXcQ?start=1`)
  await publish(page)

  await page.goto(product.url('/blog/moving'))
  const frame = page.locator('.prose iframe')
  await frame.scrollIntoViewIfNeeded()
  expect(
    await frame.evaluate((element) =>
      Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
    ),
  ).toEqual({
    src: `${PLAYER}/embed/dQw4w9WgXcQ?start=1`,
    class: 'ql-video',
    title: 'Video',
    sandbox: 'allow-scripts allow-same-origin allow-presentation',
    allow: 'fullscreen',
    referrerpolicy: 'strict-origin-when-cross-origin',
    loading: 'lazy',
  })
  const inside = page.frameLocator('.prose iframe')
  await expect(inside.locator('p')).toContainText('top:SecurityError')
  await expect(inside.locator('p')).toContainText('popup:null')
  await inside.getByRole('button').click()
  await expect(inside.locator('p')).toContainText('filled')
  expect(page.url()).toBe(product.url('/blog/moving'))
  await admin.leave()
})

test('a save with an expired token refreshes it once, retries once and is stored once', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'In the middle of a sentence')
  // The first call carries an expired token, as after an hour of writing.
  const calls: string[] = []
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url())
    if (/\/(blogs|refresh\/\w+)$/.test(pathname))
      calls.push(`${answer.request().method()} ${answer.status()}`)
  })
  await page.route(
    '**/api/blogs',
    (route) => {
      const headers = route.request().headers()
      const token = expired(headers.authorization?.replace('Bearer ', '') ?? '')
      return route.continue({ headers: { ...headers, authorization: `Bearer ${token}` } })
    },
    { times: 1 },
  )
  await publish(page)
  expect(calls).toEqual(['POST 403', 'GET 200', 'POST 201'])
  await page.goto(product.url('/dashboard/my-blogs'))
  await expect(page.getByRole('heading', { level: 2, name: 'In the middle of a sentence' })).toHaveCount(1)
  await admin.leave()
})

/** The same token, issued an hour earlier. */
function expired(token: string): string {
  const [header = '', body = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { iat: number; exp: number }
  const old = Buffer.from(
    JSON.stringify({ ...claims, iat: claims.iat - 3_600, exp: claims.exp - 3_600 }),
  ).toString('base64url')
  const signature = createHmac('sha256', JWT_SECRET).update(`${header}.${old}`).digest('base64url')
  return `${header}.${old}.${signature}`
}

test('a conflict of two admins shows both versions, also after the first changed the slug', async ({
  browser,
  product,
}) => {
  const first = await Admin.signIn(browser, product, '/dashboard/add-blog')
  await fillIn(first.page, 'Two pens')
  await publish(first.page)
  const second = await Admin.signIn(browser, product, '/dashboard/edit/two-pens', PHONE)
  await expect(editor(second.page)).toHaveText('Pack your passport.')
  await first.page.goto(product.url('/dashboard/edit/two-pens'))
  await first.page.getByLabel('Slug').fill('one-pen')
  await editor(first.page).fill('Pack two pens.')
  await first.page.getByRole('button', { name: 'Submit' }).click()
  await expect(first.page).toHaveURL(product.url('/dashboard/edit/one-pen'))
  await expect(editor(first.page)).toHaveText('Pack two pens.')

  await editor(second.page).fill('Pack three pens.')
  await second.page.getByRole('button', { name: 'Submit' }).click()
  const conflict = second.page.getByRole('region', { name: /Someone else saved/ })
  await expect(conflict).toContainText('one-pen')
  await expect(conflict).toContainText('Pack two pens.')
  await expect(editor(second.page)).toHaveText('Pack three pens.')
  await conflict.getByRole('button', { name: 'Keep mine' }).click()
  await save(second.page)
  await second.page.goto(product.url('/blog/two-pens'))
  await expect(second.page.locator('.prose')).toHaveText('Pack three pens.')
  await first.leave()
  await second.leave()
})

test('a draft and its image survive a lost session and a reload', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog', PHONE)
  const { page } = admin
  await fillIn(page, 'Half a thought')
  // The session has ended before the save.
  await page.context().clearCookies()
  await page.route('**/api/blogs', (route) => {
    const headers = route.request().headers()
    return route.continue({ headers: { ...headers, authorization: 'Bearer of.no.one' } })
  })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page).toHaveURL(product.url('/login'))
  await page.unrouteAll()
  await admin.fillIn()
  await expect(page).toHaveURL(product.url('/dashboard/add-blog'))
  const expectDraft = async () => {
    await expect(page.getByLabel('Title')).toHaveValue('Half a thought')
    await expect(editor(page)).toHaveText('Pack your passport.')
    await expect(page.getByRole('img', { name: 'Preview of desk.jpg' })).toBeVisible()
  }
  await expectDraft()
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expectDraft()
  await publish(page)
  await page.goto(product.url('/blog/half-a-thought'))
  await expect(page.locator('.prose')).toHaveText('Pack your passport.')

  await page.goto(product.url('/dashboard/add-blog'))
  await expect(page.getByLabel('Title')).toHaveValue('')
  await expect(page.getByRole('img', { name: /Preview of/ })).toHaveCount(0)
  await admin.leave()
})

test('an imported post keeps its colors, and gets palette colors when its text changes', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'From elsewhere')
  await page.route(
    '**/api/blogs',
    async (route) => {
      const sent = route.request().postDataBuffer()?.toString('latin1') ?? ''
      const content =
        '<p><span style="color: rgb(230, 0, 0); background-color: #ffff00">Red on yellow</span> <span style="color: #000">plain</span></p>'
      return route.continue({
        postData: Buffer.from(sent.replace('<p>Pack your passport.</p>', content), 'latin1'),
      })
    },
    { times: 1 },
  )
  await publish(page)
  await page.goto(product.url('/blog/from-elsewhere'))
  await expect(page.locator('.prose [data-style]').first()).toHaveText('Red on yellow')

  await page.goto(product.url('/dashboard/edit/from-elsewhere'))
  await expect(editor(page).locator('.ql-color-red.ql-bg-yellow')).toHaveText('Red on yellow')
  await page.getByLabel('Title').fill('Still from elsewhere')
  await save(page)
  await page.goto(product.url('/blog/from-elsewhere'))
  await expect(page.locator('.prose [data-style]').first()).toHaveText('Red on yellow')

  await page.goto(product.url('/dashboard/edit/from-elsewhere'))
  await editor(page).press('Control+End')
  await page.keyboard.type(' and more')
  await save(page)
  await page.goto(product.url('/blog/from-elsewhere'))
  await expect(page.locator('.prose')).toHaveText('Red on yellow plain and more')
  await expect(page.locator('.prose .ql-color-red.ql-bg-yellow')).toHaveText('Red on yellow')
  await admin.leave()
})

/** Pastes markup in place of the text. */
async function pasteHtml(page: Page, html: string): Promise<void> {
  await editor(page).evaluate((root, pasted) => {
    getSelection()?.selectAllChildren(root)
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', pasted)
    root.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, html)
}

test('what follows the editor appears with it, or when it cannot be loaded', async ({ browser, product }) => {
  for (const viewport of [PHONE.viewport, { width: 1280, height: 720 }]) {
    const admin = await Admin.signIn(browser, product, '/dashboard/account', { viewport })
    const { page } = admin
    const answer = Promise.withResolvers<void>()
    // The build preloads the file, and a preload that fails can be followed by another request.
    const file = '**/assets/rich-text-editor*.js'
    await page.route(file, async (route) => {
      await answer.promise
      await route.abort()
    })
    await admin.goto('/dashboard/add-blog')
    const follows = [page.getByText('Preview', { exact: true }), page.getByLabel('Slug')]
    await expect(page.getByLabel('Title')).toBeVisible()
    await expect(follows[0] as Locator).toBeHidden()
    await expect(follows[1] as Locator).toBeVisible({ visible: viewport.width > 390 })
    answer.resolve()
    await expect(page.getByText('The editor could not be loaded.')).toBeVisible()
    for (const field of follows) await expect(field).toBeVisible()
    await page.unroute(file)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(editor(page)).toBeVisible()
    for (const field of follows) await expect(field).toBeVisible()
    await admin.leave()
  }
})

// By itself: a slow machine needs half a minute for it.
test('deeply nested HTML from the clipboard keeps its text, and the editor works on', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await expect(editor(page)).toBeVisible()
  await pasteHtml(page, `${'<b><i>'.repeat(20_000)}deep<p>After.</p>`)
  await expect(editor(page)).toContainText('deep')
  await editor(page).press('Control+End')
  await page.keyboard.type('The end.')
  await expect(editor(page)).toContainText('The end.')
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

test('hostile HTML from the clipboard or a draft runs neither in the editor nor in the preview', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  const happened: string[] = []
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'beforeunload') happened.push(`dialog ${dialog.message()}`)
    void dialog.accept()
  })
  await page.route(
    (url) => url.origin !== product.origin && url.protocol.startsWith('http'),
    (route) => {
      const { origin } = new URL(route.request().url())
      if (!/^https:\/\/(www\.youtube(-nocookie)?\.com|player\.vimeo\.com)$/.test(origin)) {
        happened.push(`request to ${origin}`)
      }
      return route.abort()
    },
  )
  await expect(editor(page)).toBeVisible()
  await page.getByText('Preview', { exact: true }).click()
  for (const html of HOSTILE_HTML) await pasteHtml(page, `${html}<p>After.</p>`)
  await expect(editor(page)).toContainText('After.')
  await expect(editor(page).locator('iframe:not([src^="https:"])')).toHaveCount(0)
  await editor(page).press('Control+End')
  await page.keyboard.type('The end.')
  await expect(page.locator('.post-preview .prose')).toContainText('The end.')

  // The draft contains what an earlier script or another user of this browser could have stored.
  for (const html of [HOSTILE_HTML.join('<p>Next.</p>'), ...HOSTILE_HTML.slice(0, 3)]) {
    await page.evaluate((content) => {
      const fields = {
        title: '<img src=x onerror=alert(1)>',
        summary: '"><script>alert(2)</script>',
        slug: '',
        content,
      }
      localStorage.setItem('draft:blog', JSON.stringify({ fields, version: 0, hasFile: false }))
      // The page must not store its own draft before the reload.
      Object.defineProperty(Storage.prototype, 'setItem', { value: () => {} })
    }, `${html}<p>The draft.</p>`)
    await page.reload()
    await expect(page.getByText('Your unsaved draft was restored.')).toBeVisible()
    await page.getByText('Preview', { exact: true }).click()
    await expect(page.locator('.post-preview .prose')).not.toBeEmpty()
  }
  const bad = await page.evaluate(() =>
    [...document.querySelectorAll('.ql-editor *, .post-preview > :not(summary) *')].flatMap(
      ({ attributes, localName }) => [
        ...(/^(script|object|embed|svg|math|form|meta|base|link|style)$/.test(localName) ? [localName] : []),
        ...[...attributes]
          .filter(({ name }) => /^(on|srcdoc|style$|formaction)/.test(name))
          .map(({ name }) => name),
      ],
    ),
  )
  expect(bad).toEqual([])
  expect(happened).toEqual([])
  expect(
    await page.evaluate(() => Object.keys(window).filter((name) => /pwn|xss|hacked/i.test(name))),
  ).toEqual([])
  await admin.leave()
})
