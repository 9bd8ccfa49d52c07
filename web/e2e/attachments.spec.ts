import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { DEFAULT_SETTINGS, type Settings } from '@proctorpass/shared/schemas/settings'
import { violations } from './axe.ts'
import { type Admin, Visitor } from './people.ts'
import { PDF, picture } from './pictures.ts'
import type { Product } from './product.ts'
import { expect, TRANSPORTS, test } from './test.ts'

async function allowFiles(product: Product, settings: Partial<Settings> = {}): Promise<void> {
  await product.callAsAdmin('PUT', '/settings', { ...DEFAULT_SETTINGS, files: true, ...settings })
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
      await expect(preview(admin, 'room.png')).toBeVisible()
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
