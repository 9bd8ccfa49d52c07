import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import sharp from 'sharp'
import { violations } from './axe.ts'
import { type Admin, Visitor } from './people.ts'
import { PDF, picture } from './pictures.ts'
import type { Product } from './product.ts'
import { expect, freshTest, TRANSPORTS, test } from './test.ts'

const NOTICE = 'Send no exam content.'

async function allowFiles(product: Product, settings: Partial<Settings> = {}): Promise<void> {
  await product.configure({ files: true, ...settings })
}

const clip = (person: Visitor | Admin) => person.page.getByRole('button', { name: 'Attach a file' })
const tray = (person: Visitor | Admin) => person.page.getByRole('list', { name: 'Files to send' })
const preview = (person: Visitor | Admin, name: string) =>
  person.log.getByRole('button', { name: `Open ${name}` }).getByRole('img', { name })

interface Upload {
  name: string
  mimeType: string
  buffer: Buffer
}
const png = async (name: string, width = 400, height = 300): Promise<Upload> => ({
  name,
  mimeType: 'image/png',
  buffer: await picture(width, height),
})
const pdf = (name: string): Upload => ({ name, mimeType: 'application/pdf', buffer: PDF })

async function choose(person: Visitor | Admin, ...files: Upload[]): Promise<void> {
  const chooser = person.page.waitForEvent('filechooser')
  await clip(person).click()
  await (await chooser).setFiles(files)
  for (const { name } of files) await expect(tray(person).getByText(name)).toBeVisible()
}

/** The DataTransfer of a page with these files. */
function transferOf(page: Page, files: Upload[]) {
  return page.evaluateHandle(
    (given) => {
      const transfer = new DataTransfer()
      for (const { name, type, bytes } of given) {
        transfer.items.add(
          new File([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], name, { type }),
        )
      }
      return transfer
    },
    files.map(({ name, mimeType: type, buffer }) => ({ name, type, bytes: buffer.toString('base64') })),
  )
}

async function paste(person: Visitor | Admin, ...files: Upload[]): Promise<void> {
  const transfer = await transferOf(person.page, files)
  await person.box.evaluate(
    (box, clipboardData) =>
      box.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true } as ClipboardEventInit),
      ),
    transfer,
  )
}

interface Stored {
  message: string
  attachments?: { _id: string; name: string; type: string; width?: number; height?: number }[]
}
async function stored(product: Product, clientId: string): Promise<Stored[]> {
  return (await product.stored(clientId)) as Stored[]
}
const names = (messages: Stored[]) =>
  messages.map(({ message, attachments = [] }) => [message, ...attachments.map(({ name }) => name)])

async function expectStored(visitor: Visitor, product: Product, wanted: string[][]): Promise<void> {
  const clientId = await visitor.clientId()
  await expect.poll(async () => names(await stored(product, clientId))).toEqual(wanted)
}

async function arrive(browser: Parameters<typeof Visitor.arrive>[0], product: Product, options = {}) {
  const visitor = await Visitor.arrive(browser, product, options)
  await visitor.openChat()
  await expect(clip(visitor)).toBeVisible()
  return visitor
}

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`files in ${transport}`, () => {
    test.use({ env })

    test('a visitor chooses, pastes and drops; an admin sees them and answers with a PDF', async ({
      browser,
      product,
      admin,
    }) => {
      await allowFiles(product)
      const visitor = await arrive(browser, product)
      await choose(visitor, await png('room.png'), pdf('ticket.pdf'))
      await visitor.box.fill('my room')
      await visitor.box.press('Enter')
      await expect(tray(visitor)).toBeHidden()
      await expect(preview(visitor, 'room.png')).toBeVisible()
      await visitor.expectSent('my room')

      await paste(visitor, await png('pasted.png', 200, 500))
      await expect(tray(visitor).getByText('pasted.png')).toBeVisible()
      await visitor.panel.getByRole('button', { name: 'Send', exact: true }).click()
      await expect(preview(visitor, 'pasted.png')).toBeVisible()

      const transfer = await transferOf(visitor.page, [pdf('dropped.pdf')])
      await visitor.log.dispatchEvent('dragover', { dataTransfer: transfer })
      await expect(visitor.panel).toHaveAttribute('data-drop', 'Drop files to attach them')
      await visitor.log.dispatchEvent('drop', { dataTransfer: transfer })
      await expect(visitor.panel).not.toHaveAttribute('data-drop')
      await expect(tray(visitor).getByText('dropped.pdf')).toBeVisible()
      await visitor.panel.getByRole('button', { name: 'Send', exact: true }).click()
      await expect(visitor.log.getByRole('button', { name: /^Download dropped\.pdf/ })).toBeVisible()
      await expect(visitor.log.getByText('Sending...')).toHaveCount(0)

      const clientId = await visitor.clientId()
      await expect
        .poll(async () => names(await stored(product, clientId)))
        .toEqual([
          ['my room', 'room.png', 'ticket.pdf'],
          ['', 'pasted.png'],
          ['', 'dropped.pdf'],
        ])
      await expect(admin.row(clientId)).toContainText('dropped.pdf')
      await admin.view(clientId)
      // An image loads when it comes near the screen. Again, if the list was still following its end.
      await expect(async () => {
        await admin.log.getByRole('button', { name: 'Open room.png' }).scrollIntoViewIfNeeded()
        await expect(preview(admin, 'room.png')).toBeVisible({ timeout: 1_000 })
      }).toPass()
      await preview(admin, 'room.png').click()
      const lightbox = admin.page.getByRole('dialog', { name: 'room.png' })
      await expect(lightbox.getByRole('img', { name: 'room.png' })).toBeVisible()
      expect(await violations(admin.page)).toEqual([])
      await admin.page.keyboard.press('Escape')
      await expect(lightbox).toBeHidden()
      await expect(admin.log.getByRole('button', { name: 'Open room.png' })).toBeFocused()

      await choose(admin, pdf('answer.pdf'))
      await admin.type('please sign')
      const row = visitor.log.getByRole('button', { name: /^Download answer\.pdf/ })
      const download = visitor.page.waitForEvent('download')
      await row.click()
      const file = await download
      expect(file.suggestedFilename()).toBe('answer.pdf')
      expect(await readFile(await file.path())).toEqual(PDF)
      expect(visitor.complaints).toEqual([])
      expect(admin.complaints).toEqual([])
      await visitor.leave()
    })
  })
}

freshTest(
  'a file that is sent offline survives a reload and is delivered once',
  async ({ browser, product }) => {
    await allowFiles(product)
    const visitor = await arrive(browser, product)
    await choose(visitor, await png('exam.png'))
    // Chosen, not sent: as the text, it survives too.
    await visitor.box.fill('kept')
    await visitor.page.reload()
    await visitor.openChat()
    await expect(tray(visitor).getByText('exam.png')).toBeVisible()
    await expect(visitor.box).toHaveValue('kept')
    await product.kill()
    await visitor.box.press('Enter')
    await expect(visitor.message('kept')).toBeVisible()
    await expect(preview(visitor, 'exam.png')).toBeVisible()
    await product.startAgain()
    await visitor.page.reload()
    await visitor.openChat()
    await visitor.expectSent('kept')
    await expect(preview(visitor, 'exam.png')).toBeVisible()
    await expectStored(visitor, product, [['kept', 'exam.png']])
    const left = () =>
      visitor.page.evaluate(
        () =>
          new Promise((resolve, reject) => {
            const opening = indexedDB.open('chat-files')
            opening.onerror = reject
            opening.onsuccess = () => {
              const counting = opening.result.transaction('files').objectStore('files').count()
              counting.onsuccess = () => {
                opening.result.close()
                resolve(counting.result)
              }
            }
          }),
      )
    // The bytes go after the message.
    await expect.poll(left).toBe(0)
    await visitor.leave()
  },
)

test('there is no button while files are off, and a file chosen before is refused with its text kept', async ({
  browser,
  product,
}) => {
  await allowFiles(product)
  const visitor = await arrive(browser, product)
  await choose(visitor, await png('late.png'))
  await product.configure({ files: false })
  await visitor.type('my question')
  await expect(visitor.panel.getByText("Files can't be sent in this chat.")).toBeVisible()
  await expect(visitor.message('my question')).toBeVisible()
  await visitor.panel.getByRole('button', { name: 'Send without late.png' }).click()
  await visitor.expectSent('my question')
  await expectStored(visitor, product, [['my question']])
  await visitor.page.reload()
  await visitor.openChat()
  await expect(visitor.message('my question')).toBeVisible()
  await expect(clip(visitor)).toHaveCount(0)
  const answer = await visitor.page.request.post(product.url(`/api/chat/${await visitor.clientId()}/files`), {
    multipart: { nonce: 'nonce-12345678', file: await png('direct.png') },
    headers: {
      authorization: `Visitor ${await visitor.page.evaluate(() => localStorage.getItem('clientKey'))}`,
    },
  })
  expect(answer.status()).toBe(403)
  await visitor.leave()
})

test('what cannot be sent is refused with its reason, before and by the server', async ({
  browser,
  product,
}) => {
  await allowFiles(product)
  const visitor = await arrive(browser, product)
  await choose(visitor)
  const input = visitor.panel.locator('input[type="file"]')
  await input.setInputFiles([
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
    { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no image') },
    { name: 'huge.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) },
    { name: 'cloud.png', mimeType: 'image/png', buffer: Buffer.alloc(0) },
    { name: 'IMG_1.HEIC', mimeType: '', buffer: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0') },
  ])
  const alert = visitor.panel.getByText(/notes\.txt can't be sent/)
  await expect(alert).toContainText("broken.png couldn't be read.")
  await expect(alert).toContainText('huge.pdf is larger than 10 MB.')
  await expect(alert).toContainText('cloud.png is empty.')
  await expect(alert).toContainText(/IMG_1\.HEIC is HEIC.* Save it as JPEG .*Most Compatible/)
  await visitor.box.press('Shift')
  await expect(alert).toBeVisible()
  await visitor.box.press('a')
  await expect(visitor.panel.getByText(/can't be sent/)).toHaveCount(0)
  await visitor.box.press('Backspace')
  await input.setInputFiles([
    ...(await Promise.all([1, 2, 3, 4, 5, 6].map((number) => png(`${number}.png`, 40, 40)))),
  ])
  await expect(visitor.panel.getByText('You can send at most 5 files in one message.')).toBeVisible()
  for (const number of [1, 2, 3, 4, 5]) {
    await visitor.panel.getByRole('button', { name: `Remove ${number}.png` }).click()
  }
  await expect(tray(visitor)).toHaveCount(0)

  const fake = { name: 'fake.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 cut off') }
  await choose(visitor, fake, await png('real.png'))
  await visitor.type('two files')
  await visitor.panel.getByRole('button', { name: 'Send without fake.pdf' }).click()
  await visitor.expectSent('two files')
  await expectStored(visitor, product, [['two files', 'real.png']])
  await visitor.leave()
})

test('an image that only the browser can read is sent as JPEG', async ({ browser, product }) => {
  await allowFiles(product)
  const visitor = await arrive(browser, product)
  const bitmap = Buffer.alloc(54 + 4 * 3 * 4, 0x60)
  bitmap.write('BM')
  bitmap.writeUInt32LE(bitmap.length, 2)
  bitmap.writeUInt32LE(54, 10)
  bitmap.fill(0, 14, 54)
  for (const [at, value] of [
    [14, 40],
    [18, 3],
    [22, 4],
  ] as const)
    bitmap.writeUInt32LE(value, at)
  bitmap.writeUInt16LE(1, 26)
  bitmap.writeUInt16LE(24, 28)
  const avif = await sharp(await picture(64, 48))
    .avif()
    .toBuffer()
  const input = visitor.panel.locator('input[type="file"]')
  await choose(visitor)
  await input.setInputFiles([
    { name: 'scan.bmp', mimeType: 'image/bmp', buffer: bitmap },
    { name: 'photo.avif', mimeType: 'image/avif', buffer: avif },
    // Named wrongly, and taken for what it is.
    { ...(await png('page.bin', 40, 40)), mimeType: 'application/octet-stream' },
    { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.concat([PDF, Buffer.from('\0scanner')]) },
  ])
  await expect(tray(visitor).getByText('scan.pdf')).toBeVisible()
  await visitor.type('four files')
  await visitor.expectSent('four files')
  await expectStored(visitor, product, [['four files', 'scan.jpg', 'photo.jpg', 'page.bin.png', 'scan.pdf']])
  const [message] = await stored(product, await visitor.clientId())
  expect(message?.attachments).toMatchObject([
    { type: 'image/jpeg', width: 3, height: 4 },
    { type: 'image/jpeg', width: 64, height: 48 },
    { type: 'image/png' },
    { type: 'application/pdf' },
  ])
  await visitor.leave()
})

test('the focus stays in the chat where an upload is canceled and discarded', async ({
  browser,
  product,
}) => {
  await allowFiles(product)
  const visitor = await arrive(browser, product)
  // Never answered, so that it stays under way.
  await visitor.page.route('**/files', () => {})
  await choose(visitor, await png('exam.png'))
  await visitor.type('my screen')
  await visitor.log.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(visitor.log.getByText('Upload canceled.')).toBeVisible()
  await expect(visitor.log).toBeFocused()
  await visitor.log.getByRole('button', { name: 'Discard' }).press('Enter')
  await expect(visitor.message('my screen')).toHaveCount(0)
  await expect(visitor.log).toBeFocused()
  await visitor.leave()
})

test('files that cannot be attached while offline wait for the next press', async ({ browser, product }) => {
  await allowFiles(product)
  const visitor = await arrive(browser, product)
  await expect(clip(visitor)).toBeVisible()
  await visitor.page.context().setOffline(true)
  await visitor.panel.locator('input[type="file"]').setInputFiles([await png('exam.png')])
  const line = visitor.panel.getByText("Files can't be attached right now.")
  await expect(line).toBeVisible()
  const [lineBox, clipBox] = await Promise.all([line.boundingBox(), clip(visitor).boundingBox()])
  expect((lineBox?.y ?? 0) + (lineBox?.height ?? 0)).toBeLessThanOrEqual(clipBox?.y ?? 0)
  await visitor.page.context().setOffline(false)
  await clip(visitor).click()
  await expect(tray(visitor).getByText('exam.png')).toBeVisible()
  await expect(line).toHaveCount(0)
  await visitor.leave()
})

test('the notice comes before the first file, and once', async ({ browser, product }) => {
  await allowFiles(product, { filesNotice: { en: NOTICE, zh: '' } })
  const visitor = await arrive(browser, product)
  await clip(visitor).press('Enter')
  const notice = visitor.panel.getByRole('group', { name: 'Before you attach a file' })
  await expect(notice).toContainText(NOTICE)
  await expect(notice.getByRole('button', { name: 'Choose files' })).toBeFocused()
  expect(await violations(visitor.page)).toEqual([])
  await notice.getByRole('button', { name: 'Cancel' }).click()
  await expect(clip(visitor)).toBeFocused()
  await paste(visitor, await png('pasted.png'))
  await expect(notice).toContainText(NOTICE)
  await expect(tray(visitor)).toHaveCount(0)
  await notice.getByRole('button', { name: 'Attach' }).press('Enter')
  await expect(tray(visitor).getByText('pasted.png')).toBeVisible()
  await expect(clip(visitor)).toBeFocused()
  await visitor.panel.getByRole('button', { name: 'Remove pasted.png' }).press('Enter')
  await expect(clip(visitor)).toBeFocused()
  await choose(visitor, await png('second.png'))
  await visitor.leave()
})

test('a file can be sent where the browser forbids all storage, after one notice', async ({
  browser,
  product,
}) => {
  await allowFiles(product, { filesNotice: { en: NOTICE, zh: '' } })
  const context = await browser.newContext()
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('The user denied access to storage.', 'SecurityError')
        },
      })
    }
  })
  const visitor = new Visitor(await context.newPage(), product)
  await visitor.goto('/')
  await visitor.openChat()
  const chooser = visitor.page.waitForEvent('filechooser')
  await clip(visitor).click()
  await visitor.panel.getByRole('button', { name: 'Choose files' }).click()
  await (await chooser).setFiles(await png('exam.png'))
  await expect(tray(visitor).getByText('exam.png')).toBeVisible()
  await visitor.type('no storage')
  await expect(visitor.log.getByText('· Sent')).toBeVisible()
  await expect(preview(visitor, 'exam.png')).toBeVisible()
  const [conversation] = await product.callAsAdmin<{ clientId: string }[]>('GET', '/chat')
  expect(names(await stored(product, conversation?.clientId ?? ''))).toEqual([['no storage', 'exam.png']])
  await visitor.leave()
})

test('the files of a conversation are nothing for another visitor', async ({ browser, product }) => {
  await allowFiles(product)
  const visitor = await arrive(browser, product)
  await choose(visitor, await png('mine.png'))
  await visitor.type('mine')
  await expectStored(visitor, product, [['mine', 'mine.png']])
  const clientId = await visitor.clientId()
  const [message] = await stored(product, clientId)
  const path = product.url(`/api/chat/${clientId}/files/${message?.attachments?.[0]?._id}`)
  const key = await visitor.page.evaluate(() => localStorage.getItem('clientKey'))
  const get = (authorization?: string) =>
    visitor.page.request.get(path, { headers: authorization ? { authorization } : {} })
  expect((await get(`Visitor ${key}`)).status()).toBe(200)
  expect((await get()).status()).toBe(404)
  expect((await get(`Visitor ${'A'.repeat(43)}`)).status()).toBe(404)
  await visitor.leave()
})

for (const [width, colorScheme] of [
  [360, 'light'],
  [360, 'dark'],
  [1280, 'dark'],
] as const) {
  test(`images move nothing when they load, at ${width} px, ${colorScheme}`, async ({ browser, product }) => {
    await allowFiles(product)
    const options = { viewport: { width, height: 740 }, colorScheme }
    const visitor = await arrive(browser, product, options)
    await choose(
      visitor,
      await png('wide.png', 1200, 400),
      await png('tall.png', 300, 900),
      pdf('a long name of a ticket for the exam.pdf'),
    )
    expect(await violations(visitor.page)).toEqual([])
    await visitor.type('three files')
    await visitor.expectSent('three files')
    await visitor.type('and a last word')
    await visitor.expectSent('and a last word')
    const { promise: isMeasured, resolve: load } = Promise.withResolvers<void>()
    await visitor.page.route('**/files/*', async (route) => {
      await isMeasured
      await route.continue()
    })
    await visitor.page.reload()
    await expect(visitor.message('and a last word')).toBeVisible()
    // The list no longer follows its end.
    await visitor.log.evaluate(async (log) => {
      log.scrollTop = 0
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    })
    const wide = visitor.log.getByRole('button', { name: 'Open wide.png' })
    const places = async () => [
      await wide.boundingBox(),
      await visitor.log.evaluate((log) => log.scrollHeight),
    ]
    const before = await places()
    load()
    await expect(preview(visitor, 'wide.png')).toBeVisible()
    expect(await places()).toEqual(before)
    await visitor.log.getByRole('button', { name: 'Open tall.png' }).scrollIntoViewIfNeeded()
    await expect(preview(visitor, 'tall.png')).toBeVisible()
    expect((await places())[1]).toBe(before[1])
    expect(await violations(visitor.page)).toEqual([])
    expect(await visitor.panel.evaluate((panel) => panel.scrollWidth - panel.clientWidth)).toBe(0)
    await visitor.leave()
  })
}

test('a page of an older build reloads to attach a file, and keeps what was typed', async ({
  browser,
  product,
}) => {
  await allowFiles(product)
  const visitor = await arrive(browser, product)
  const { page, box } = visitor
  const failed = page.getByText(/^Files can't be attached right now/)
  const chunk = '**/assets/loaded-*.js'
  // As after an update: the chunk of this page is gone.
  await page.route(chunk, (route) => route.fulfill({ status: 404 }))
  await box.fill('Here is my room')
  const chooser = page.waitForEvent('filechooser')
  await clip(visitor).click()
  await (await chooser).setFiles([await png('room.png')])
  await expect(failed).toBeVisible()

  page.once('framenavigated', () => void page.unroute(chunk))
  await clip(visitor).click()
  await expect(failed).toBeHidden()
  await visitor.openChat()
  await expect(box).toHaveValue('Here is my room')
  await choose(visitor, await png('room.png'))
  await box.press('Enter')
  await expectStored(visitor, product, [['Here is my room', 'room.png']])
})
