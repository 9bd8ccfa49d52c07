import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  type Browser,
  test as base,
  type CDPSession,
  chromium,
  expect,
  type Frame,
  type Locator,
  type Page,
} from '@playwright/test'
import type { Site } from '@proctorpass/shared/schemas/site'
import { temporaryDir } from '../../api/test/server-process.ts'
import { passSocketOn } from './gateway.ts'
import { FreshProduct } from './product.ts'

interface HostPage {
  body: string | Uint8Array
  headers?: Record<string, string>
}

/** The launcher's center is this far from the right and the bottom by default. */
const LAUNCHER_PX = 24 + 28

/** Runs the product behind a proxy with HTTPS, and other websites under their own names. */
export class Hosts {
  readonly product: FreshProduct
  readonly browser: Browser
  /** With these arguments, a browser knows the hosts' names and trusts their certificate. */
  readonly args: string[]
  /** This site has the origins at `shop.test`. */
  readonly site: Site
  private readonly port: number
  private readonly pages: Map<string, HostPage>
  private readonly end: () => Promise<void>

  private constructor(
    parts: Pick<Hosts, 'product' | 'browser' | 'args' | 'site'> & {
      port: number
      pages: Map<string, HostPage>
      end: () => Promise<void>
    },
  ) {
    this.product = parts.product
    this.browser = parts.browser
    this.args = parts.args
    this.site = parts.site
    this.port = parts.port
    this.pages = parts.pages
    this.end = parts.end
  }

  /** With `oneProcess`, all origins' pages and frames share a main thread, as on phones with little memory. */
  static async start({ oneProcess } = { oneProcess: false }): Promise<Hosts> {
    const { key, cert, spki, remove } = makeCertificate()
    const pages = new Map<string, HostPage>()
    let target = 0
    const server = createServer({ key, cert }, (incoming, response) => {
      if (!isForProduct(incoming)) {
        const page = pages.get(incoming.url?.split('?')[0] ?? '')
        response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', ...page?.headers })
        response.end(page?.body)
        return
      }
      const { method, url, headers } = incoming
      const onward = request({ port: target, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      incoming.pipe(onward)
    })
    server.on('upgrade', (incoming, socket, head) => passSocketOn(target, incoming, socket, head))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const product = await FreshProduct.start({ PUBLIC_URL: `https://chat.test:${port}`, RATE_LIMITS: 'off' })
    target = Number(new URL(product.origin).port)
    const { CHROMIUM_PATH, CHROMIUM_SHELL_PATH } = process.env
    const args = [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      oneProcess ? '--disable-site-isolation-trials' : '--site-per-process',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      // The browser trusts only this certificate.
      `--ignore-certificate-errors-spki-list=${spki}`,
    ]
    const executablePath = CHROMIUM_SHELL_PATH || CHROMIUM_PATH || undefined
    const browser = await chromium.launch({ executablePath, args })
    const { data: site } = await product.callAsAdmin<{ data: Site }>('POST', '/sites', {
      name: 'Shop',
      origins: [`https://shop.test:${port}`, `https://www.shop.test:${port}`],
    })
    const end = async () => {
      await browser.close()
      await product.dispose()
      server.closeAllConnections()
      server.close()
      remove()
    }
    return new Hosts({ product, browser, args, site, port, pages, end })
  }

  /** Opens a browser with the back/forward cache and without incognito mode, which keeps storage from frames. */
  async openCachingBrowser(): Promise<{ page: Page; end: () => Promise<void> }> {
    const { path, remove } = temporaryDir('browser')
    // Some distributions block the storage of frames by default.
    mkdirSync(join(path, 'Default'))
    writeFileSync(
      join(path, 'Default/Preferences'),
      JSON.stringify({ profile: { block_third_party_cookies: false, cookie_controls_mode: 0 } }),
    )
    const context = await chromium.launchPersistentContext(path, {
      executablePath: process.env.CHROMIUM_PATH || undefined,
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
      args: this.args,
    })
    const end = async () => {
      await context.close()
      remove()
    }
    return { page: await context.newPage(), end }
  }

  stop(): Promise<void> {
    return this.end()
  }

  /** Returns the origin for a name such as `shop.test`. */
  origin(name: string): string {
    return `https://${name}:${this.port}`
  }

  get tag(): string {
    return `<script async src="${this.origin('chat.test')}/embed/${this.site._id}.js"></script>`
  }

  /** Serves a page under every name but the product's. The page is long enough to scroll. */
  serve(path: string, content: string, headers: Record<string, string> = {}): void {
    const head =
      '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>'
    const body = `${head}<main><h1>Shop</h1><p>Nice things.${'<br>'.repeat(150)}</p></main>${content}`
    this.serveAsIs(path, body, headers)
  }

  serveAsIs(path: string, body: string | Uint8Array, headers: Record<string, string>): void {
    this.pages.set(path, { body, headers })
  }

  url(path: string, name = 'shop.test'): string {
    return this.origin(name) + path
  }
}

function isForProduct({ headers }: IncomingMessage): boolean {
  return headers.host?.startsWith('chat.test:') ?? false
}

function makeCertificate() {
  const { path, remove } = temporaryDir('certificate')
  const [keyFile, certFile] = [join(path, 'key.pem'), join(path, 'cert.pem')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=test',
      '-addext',
      'subjectAltName=DNS:chat.test,DNS:shop.test,DNS:*.shop.test,DNS:evil.test',
      '-keyout',
      keyFile,
      '-out',
      certFile,
    ],
    { stdio: 'ignore' },
  )
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)]
  const spki = createHash('sha256')
    .update(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
  return { key, cert, spki, remove }
}

/** Operates the widget on another website's page. No script can enter its shadow root. */
export class Widget {
  readonly page: Page
  /** These are errors that reached the page, and refusals by its policy. */
  readonly complaints: string[] = []
  private devtools: CDPSession | undefined

  constructor(page: Page) {
    this.page = page
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && message.location().url.includes('shop.test'))
        this.complaints.push(message.text())
    })
  }

  async press(): Promise<void> {
    const { width = 0, height = 0 } = this.page.viewportSize() ?? {}
    await this.page.mouse.click(width - LAUNCHER_PX, height - LAUNCHER_PX)
  }

  /** Returns what screen readers say about the launcher, or null while there is none. */
  async launcher(): Promise<{ name: string; expanded: boolean } | null> {
    this.devtools ??= await this.page.context().newCDPSession(this.page)
    const { nodes } = await this.devtools.send('Accessibility.getFullAXTree')
    const found = nodes.find(
      ({ role, properties }) =>
        role?.value === 'button' && properties?.some(({ name }) => name === 'expanded'),
    )
    if (!found) return null
    const expanded = found.properties?.find(({ name }) => name === 'expanded')?.value.value
    return { name: String(found.name?.value), expanded: expanded === true }
  }

  get frames(): Frame[] {
    return this.page.frames().filter((frame) => frame.url().includes('/embed/'))
  }

  /** Returns the panel's frame, or throws if there is none. */
  get frame(): Frame {
    const [frame] = this.frames
    if (!frame) throw new Error('There is no frame.')
    return frame
  }

  /** Waits until the panel is visible. */
  async opened(): Promise<void> {
    // After the page moves the frame, it is a new one.
    const isThere = async () => this.frames.length === 1 && (await this.box.isVisible().catch(() => false))
    await expect.poll(isThere).toBe(true)
  }

  /** Evaluates an expression on the page, whose scripts may have replaced what Playwright needs. */
  async value(expression: string): Promise<unknown> {
    this.devtools ??= await this.page.context().newCDPSession(this.page)
    const { result, exceptionDetails } = await this.devtools.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return result.value
  }

  get box(): Locator {
    return this.frame.locator('.chat-input')
  }
}

interface WorkerFixtures {
  hosts: Hosts
}

export const test = base.extend<{ widget: Widget }, WorkerFixtures>({
  hosts: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright parses the pattern to find dependencies
    async ({}, use) => {
      const hosts = await Hosts.start()
      await use(hosts)
      await hosts.stop()
    },
    { scope: 'worker' },
  ],
  widget: async ({ hosts }, use) => {
    const context = await hosts.browser.newContext({
      locale: 'en-GB',
      viewport: { width: 1280, height: 800 },
    })
    await use(new Widget(await context.newPage()))
    await context.close()
  },
})
export { expect }
