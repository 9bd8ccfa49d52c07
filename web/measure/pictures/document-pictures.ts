import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import { provideChromium } from '../../../api/tools/chromium.ts'
import { Admin } from '../../e2e/people.ts'
import type { FreshProduct } from '../../e2e/product.ts'
import { OPENED } from '../sample-conversations.ts'
import { startSampleProduct } from './sample-product.ts'
import { settle } from './settle.ts'

const DOCS = new URL('../../../docs/', import.meta.url)
const INBOX = '/dashboard/chats'
const CONVERSATION = `/dashboard/messages/${OPENED.clientId}`
const WIDE = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const
const PHONE = { viewport: { width: 390, height: 780 }, colorScheme: 'dark', hasTouch: true } as const
/** The reports down to the first plot. */
const TALL = { ...WIDE, viewport: { width: 1440, height: 1520 } }

/** Takes the pictures of the documents. */
export async function shootDocuments(): Promise<void> {
  const { product, end } = await startSampleProduct()
  const browser = await chromium.launch({
    executablePath: await provideChromium(),
    args: ['--no-sandbox'],
  })
  try {
    await shoot(browser, product, { path: INBOX, options: WIDE, name: 'inbox' })
    await shoot(browser, product, { path: CONVERSATION, options: WIDE, name: 'conversation' })
    await shoot(browser, product, { path: '/dashboard/reports', options: TALL, name: 'reports' })
    await shoot(browser, product, { path: INBOX, options: PHONE, name: 'inbox-phone' })
    await shoot(browser, product, { path: CONVERSATION, options: PHONE, name: 'conversation-phone' })
  } finally {
    await browser.close()
    await end()
  }
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
  const context = { ...options, locale: 'en-US', deviceScaleFactor: 2 }
  const admin = await Admin.signIn(browser, product, path, context)
  await settle(admin.page)
  await save(admin.page, name)
  await admin.leave()
}

async function save(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`${name}.jpg`, DOCS))
  await page.screenshot({ path, quality: 80, animations: 'disabled' })
}
