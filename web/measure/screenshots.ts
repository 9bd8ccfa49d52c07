/**
 * `npm run screenshots`: starts the product with a day's conversations and writes the pictures of the README:
 * the list, a conversation, and both on a phone in the dark; the reports.
 */
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import { ADMIN } from '../../api/test/admin.ts'
import { BUNDLE, startServer, temporaryDir } from '../../api/test/server-process.ts'
import { provideChromium } from '../../api/tools/chromium.ts'
import { fillSampleHistory } from './sample-history.ts'
import { fillSampleInbox } from './sample-inbox.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const CONVERSATION = '/dashboard/messages/h7Qm2Zr9TfKc4Vn8Xb3W'
const WIDE = { width: 1280, height: 800 }
/** The reports down to the first plot. */
const TALL = { width: 1440, height: 1520 }
const PHONE = { width: 390, height: 780 }

const executablePath = await provideChromium()
const data = temporaryDir('screenshots')
const start = { entry: BUNDLE, dataDir: data.path, env: { SERVE_WEB: 'true' } }
await (await startServer(start)).stop()
const now = Date.now()
await fillSampleInbox(data.path, now)
await fillSampleHistory(data.path, now)
const server = await startServer(start)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
try {
  const wide = await signedIn(browser, { viewport: WIDE, colorScheme: 'light' })
  await shoot(wide, '/dashboard/chats', 'Amara Okafor', 'inbox')
  await shoot(wide, CONVERSATION, 'the picture stays black', 'conversation')
  await wide.setViewportSize(TALL)
  await shoot(wide, '/dashboard/reports', 'Half of the visitors', 'reports')
  const phone = await signedIn(browser, { viewport: PHONE, colorScheme: 'dark', hasTouch: true })
  await shoot(phone, '/dashboard/chats', 'Amara Okafor', 'inbox-phone')
  await shoot(phone, CONVERSATION, 'the picture stays black', 'conversation-phone')
} finally {
  await browser.close()
  await server.stop('SIGKILL')
  data.remove()
}

async function signedIn(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...options, deviceScaleFactor: 2 })
  const page = await context.newPage()
  await page.goto(`${server.origin}/login`)
  await page.getByLabel('Username').fill(ADMIN.userName)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/dashboard**')
  return page
}

/** Takes the picture once `words` are on the page. */
async function shoot(page: Page, path: string, words: string, name: string): Promise<void> {
  await page.goto(server.origin + path)
  await page.locator('main').getByText(words).last().waitFor()
  await page.getByText('Loading').first().waitFor({ state: 'detached' })
  await page.getByText('Still counting').waitFor({ state: 'detached' })
  await page.evaluate(() => document.fonts.ready)
  const file = fileURLToPath(new URL(`${name}.jpg`, DOCS))
  await page.screenshot({ path: file, quality: 80, animations: 'disabled' })
}
