import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { temporaryDir } from '../../api/test/server-process.ts'
import { editor, fillIn, photograph, publish, save } from './editor.ts'
import { Admin } from './people.ts'
import { expect, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off', SEED_DEMO: 'true' } })

test('an empty post says each error once, also after its toasts', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await expect(editor(page)).toBeVisible()
  const toasted = ['Please upload image!', 'Content is required!']
  const beside = ['Title is required', 'Summary is required', 'Blog slug is required']
  // Looks in each frame: a toast is gone after five seconds.
  await page.evaluate(
    (texts) => {
      const most: Record<string, number> = {}
      const inToast = new Set<string>()
      Object.assign(window, { most, inToast })
      function look(): void {
        for (const text of texts) {
          const shown = [...document.querySelectorAll('body *')].filter(
            (each) =>
              each.childElementCount === 0 &&
              each.textContent === text &&
              each.checkVisibility({ visibilityProperty: true }),
          )
          most[text] = Math.max(most[text] ?? 0, shown.length)
          if (shown.some((each) => each.closest('.toasts'))) inToast.add(text)
        }
        requestAnimationFrame(look)
      }
      look()
    },
    [...toasted, ...beside],
  )
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect
    .poll(() => page.evaluate(() => [...(Reflect.get(window, 'inToast') as Set<string>)].sort()))
    .toEqual([...toasted].sort())
  for (const text of toasted) await expect(page.locator('form').getByText(text)).toBeVisible()
  const once = Object.fromEntries([...toasted, ...beside].map((text) => [text, 1]))
  expect(await page.evaluate(() => Reflect.get(window, 'most'))).toEqual(once)
  await admin.leave()
})

test('the image of a post may come from a drawing program or a phone', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Three drawings')
  const input = page.getByLabel('Upload Image')
  const photo = sharp({ create: { width: 64, height: 48, channels: 3, background: '#2a7f4f' } })
  await input.setInputFiles({
    name: 'photo.avif',
    mimeType: 'image/avif',
    buffer: await photo.clone().avif().toBuffer(),
  })
  await expect(page.getByRole('img', { name: 'Preview of photo.jpg' })).toBeVisible()
  // Named wrongly.
  await input.setInputFiles({
    name: 'shot.jpg',
    mimeType: 'image/jpeg',
    buffer: await photo.png().toBuffer(),
  })
  await expect(page.getByRole('img', { name: 'Preview of shot.png' })).toBeVisible()
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0')
  await input.setInputFiles({ name: 'IMG_1.jpg', mimeType: 'image/jpeg', buffer: heic })
  await expect(
    page.getByText(/IMG_1\.jpg can't be uploaded\. This image is HEIC\. Save it as JPEG/),
  ).toBeVisible()
  await input.setInputFiles({ name: 'cloud.png', mimeType: 'image/png', buffer: Buffer.alloc(0) })
  await expect(page.getByText(/cloud\.png is empty/)).toBeVisible()

  const drawing = `<?xml version="1.0" encoding="ISO-8859-1"?>
    <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><style>.a{fill:#73689a}</style>
    <a href="https://a.example/"><rect class="a" width="80" height="40"/></a><text y="90">Größe</text></svg>`
  await input.setInputFiles({
    name: 'drawing.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(drawing, 'latin1'),
  })
  await page.getByLabel('Alt text', { exact: true }).first().fill('A size')
  await publish(page)
  await expect(page.getByRole('status').filter({ hasText: 'The SVG was cleaned' })).toHaveText(
    'The SVG was cleaned and stored without links. Check that it looks right.',
  )
  await page.goto(product.url('/blog/three-drawings'))
  const image = page.getByRole('img', { name: 'A size' })
  await expect(image).toBeVisible()
  expect(await image.evaluate((each: HTMLImageElement) => [each.naturalWidth, each.naturalHeight])).toEqual([
    200, 100,
  ])
  await admin.leave()
})

test('an image can be dropped on its zone, replaced, and removed', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  const folder = temporaryDir('cover')
  const file = join(folder.path, 'desk.jpg')
  writeFileSync(file, await photograph())
  const words = page.getByText('Choose a file, or drop or paste one')
  const box = await words.boundingBox()
  if (!box) throw new Error('The zone is not on the screen.')
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  const point = { x: box.x + 5, y: box.y + 5 }
  const zone = page.locator('.drop-zone')
  await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...point, data })
  await expect(zone).toHaveAttribute('data-over', 'true')
  await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...point, data })
  await session.send('Input.dispatchDragEvent', { type: 'drop', ...point, data })
  await expect(page.getByRole('img', { name: 'Preview of desk.jpg' })).toBeVisible()
  await expect(zone).toHaveAttribute('data-over', 'false')
  await expect(zone.getByText('Replace')).toBeVisible()
  await zone.getByRole('button', { name: 'Remove' }).click()
  await expect(words).toBeVisible()
  await expect(page.getByLabel('Upload Image')).toBeFocused()
  expect(admin.complaints).toEqual([])
  folder.remove()
  await admin.leave()
})

test('a published post is linked at once and from the list, where samples are marked', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Two pens')
  await publish(page)
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'View post' }).click(),
  ])
  await expect(opened).toHaveURL(product.url('/blog/two-pens'))
  await opened.close()

  await page.goto(product.url('/dashboard/my-blogs'))
  const card = (title: string) => page.getByRole('article').filter({ hasText: title })
  await expect(card('Two pens').getByText('Sample')).toHaveCount(0)
  const sample = card('A quiet room in a loud house')
  await expect(sample.getByText('Sample', { exact: true })).toBeVisible()
  await sample.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Title').fill('A quiet room, finally')
  await save(page)
  await page.goto(product.url('/dashboard/my-blogs'))
  await expect(card('A quiet room, finally').getByText('Sample', { exact: true })).toHaveCount(0)
  await card('A quiet room, finally').getByRole('link', { name: 'View A quiet room, finally' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A quiet room, finally')
  await admin.leave()
})

test('the preview of a post above its limit says the limit of a post', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await expect(editor(page)).toBeVisible()
  await page.getByText('Preview', { exact: true }).click()
  const line = 'A sentence of about the length that people write. '
  // More than the server reads, which would be its answer.
  await editor(page).evaluate((root, text) => {
    getSelection()?.selectAllChildren(root)
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    root.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, line.repeat(24_000))
  const preview = page.locator('.post-preview')
  await expect(preview.getByText('The content is too long: the limit is 512 KB')).toBeVisible()
  await admin.leave()
})

test("a post's earlier version comes back", async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Two versions')
  await publish(page)
  await page.goto(product.url('/dashboard/edit/two-versions'))
  await editor(page).fill('Pack your lunch.')
  await page.getByLabel('Language').selectOption({ label: 'Chinese' })
  await save(page)
  await page.getByRole('button', { name: 'History' }).click()
  const history = page.getByRole('dialog', { name: 'History' })
  await expect(history.getByRole('deletion')).toHaveText(['passport', 'en'])
  await expect(history.getByRole('insertion')).toHaveText(['lunch', 'zh'])
  await history.getByRole('button', { name: 'Restore' }).click()
  await expect(history).toBeHidden()
  await expect(editor(page)).toHaveText('Pack your passport.')
  await expect(page.getByLabel('Language')).toHaveValue('en')
  await page.goto(product.url('/blog/two-versions'))
  await expect(page.getByText('Pack your passport.')).toBeVisible()
  await admin.leave()
})
