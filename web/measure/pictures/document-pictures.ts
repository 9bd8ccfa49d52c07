import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import { provideChromium } from '../../../api/tools/chromium.ts'
import { recordPictures } from '../../../api/tools/pictures.ts'
import { Visitor } from '../../e2e/people.ts'
import type { FreshProduct } from '../../e2e/product.ts'
import { OPENED } from '../sample-conversations.ts'
import { startSampleProduct } from './sample-product.ts'
import { settle } from './settle.ts'
import { openSignedIn } from './signed-in.ts'

const DOCS = new URL('../../../docs/', import.meta.url)
const INBOX = '/dashboard/chats'
const CONVERSATION = `/dashboard/messages/${OPENED.clientId}`
const COMMON = { locale: 'en-US', deviceScaleFactor: 1.5 } as const
const WIDE = { ...COMMON, viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const
const PHONE = {
  ...COMMON,
  viewport: { width: 390, height: 780 },
  colorScheme: 'dark',
  hasTouch: true,
} as const
/** The reports down to the first plot. */
const TALL = { ...WIDE, viewport: { width: 1440, height: 1520 } }

/** The first picture shows so many conversations beside the visitor's page. */
const ROWS = 12
const VISITOR_WIDTH = 760
const INBOX_WIDTH = 1_000
/** Between the last conversation and the end of the window. */
const FOOT = 16

/** Takes the pictures of the documents, and records what they show for `npm run check`. */
export async function shootDocuments(): Promise<void> {
  const { product, end } = await startSampleProduct()
  const executablePath = await provideChromium()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    await shoot(browser, product, { path: INBOX, options: WIDE, name: 'inbox' })
    await shoot(browser, product, { path: CONVERSATION, options: WIDE, name: 'conversation' })
    await shoot(browser, product, { path: '/dashboard/reports', options: TALL, name: 'reports' })
    await shoot(browser, product, { path: INBOX, options: PHONE, name: 'inbox-phone' })
    await shoot(browser, product, { path: CONVERSATION, options: PHONE, name: 'conversation-phone' })
    await shootBothSides(browser, product)
  } finally {
    await browser.close()
    await end()
  }
  recordPictures()
}

interface DocumentPicture {
  path: string
  options: BrowserContextOptions
  /** The file's name in `docs` without its ending. */
  name: string
}

async function shoot(
  browser: Browser,
  product: FreshProduct,
  { path, options, name }: DocumentPicture,
): Promise<void> {
  const admin = await openSignedIn(browser, product, path, options)
  await save(admin.page, name)
  await admin.leave()
}

/** Takes the first picture of the README: a visitor's page with the chat, beside the inbox. */
async function shootBothSides(browser: Browser, product: FreshProduct): Promise<void> {
  const viewport = { width: INBOX_WIDTH, height: 1_200 }
  const admin = await openSignedIn(browser, product, INBOX, { ...WIDE, viewport })
  const last = await admin.page.getByRole('main').getByRole('row').nth(ROWS).boundingBox()
  if (last === null) throw new Error(`The inbox shows fewer than ${ROWS} conversations.`)
  const height = Math.ceil(last.y + last.height) + FOOT
  await admin.page.setViewportSize({ width: INBOX_WIDTH, height })

  const screen = { width: VISITOR_WIDTH, height }
  const visitor = await Visitor.arrive(browser, product, { ...WIDE, viewport: screen, path: '/faq' })
  await visitor.openChat()
  await visitor.send('Hi, my exam is on Thursday at 9.')
  await visitor.send('Is an external webcam allowed?')
  await product.reply(await visitor.clientId(), 'Hi! Yes, as long as you can move it for the room scan.')
  await visitor.message('Hi! Yes, as long as you can move it for the room scan.').waitFor()
  await settle(visitor.page)
  await settle(admin.page)
  const options = { animations: 'disabled' } as const
  const sides = [await visitor.page.screenshot(options), await admin.page.screenshot(options)]
  await composeSides(browser, sides, height)
  await visitor.leave()
  await admin.leave()
}

const GAP = 24

async function composeSides(browser: Browser, sides: readonly Buffer[], height: number): Promise<void> {
  const width = VISITOR_WIDTH + INBOX_WIDTH + 3 * GAP
  const context = await browser.newContext({ ...WIDE, viewport: { width, height: height + 2 * GAP } })
  const page = await context.newPage()
  const images = sides.map((side) => `<img src="data:image/png;base64,${side.toString('base64')}" alt="">`)
  await page.setContent(`<style>
    body { margin: 0; padding: ${GAP}px; display: flex; gap: ${GAP}px; background: #dfe6e2 }
    img { height: ${height}px; border-radius: 12px; box-shadow: 0 8px 24px rgb(0 0 0 / 14%) }
    </style>${images.join('')}`)
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())))
  await save(page, 'both-sides')
  await context.close()
}

async function save(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`${name}.jpg`, DOCS))
  await page.screenshot({ path, type: 'jpeg', quality: 72, animations: 'disabled' })
}
