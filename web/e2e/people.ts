import { type Browser, type BrowserContextOptions, expect, type Locator, type Page } from '@playwright/test'
import { ADMIN, type Product } from './product.ts'
import { storeItems } from './stored-items.ts'

/** The browser warns so when the chat gives up an attempt that takes ten seconds, which slow machines reach. */
const UNFINISHED_SOCKET = 'WebSocket is closed before the connection is established.'

/** A page of one browser, with its chat and its console. */
class Person {
  readonly page: Page
  protected readonly product: Product
  /** Errors and warnings of the console, and uncaught exceptions. */
  readonly complaints: string[] = []

  constructor(page: Page, product: Product) {
    this.page = page
    this.product = product
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return
      if (!message.text().endsWith(UNFINISHED_SOCKET)) this.complaints.push(message.text())
    })
    page.on('pageerror', (error) => this.complaints.push(String(error)))
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(this.product.url(path))
  }

  async leave(): Promise<void> {
    await this.page.context().close()
  }

  /** Contains the messages and the message box. */
  protected get chat(): Page | Locator {
    return this.page
  }

  get log(): Locator {
    return this.chat.getByRole('log')
  }

  get box(): Locator {
    return this.chat.getByRole('textbox', { name: 'Your message' })
  }

  message(text: string): Locator {
    return this.log.getByText(text, { exact: true })
  }

  async type(text: string): Promise<void> {
    await this.box.fill(text)
    await this.box.press('Enter')
  }

  /** On the screen once, and acknowledged. */
  async expectSent(text: string): Promise<void> {
    await expect(this.message(text)).toHaveCount(1)
    await expect(this.log.locator('[data-waiting="sending"]')).toHaveCount(0)
  }

  async send(text: string): Promise<void> {
    await this.type(text)
    await this.expectSent(text)
  }
}

export class Visitor extends Person {
  static async arrive(
    browser: Browser,
    product: Product,
    options: BrowserContextOptions & { path?: string; stored?: Record<string, string> } = {},
  ): Promise<Visitor> {
    const { path = '/', stored, ...contextOptions } = options
    const context = await browser.newContext(contextOptions)
    if (stored) await storeItems(context, product.origin, stored)
    const visitor = new Visitor(await context.newPage(), product)
    await visitor.goto(path)
    return visitor
  }

  /** Another tab of the same browser. */
  async openTab(path = '/'): Promise<Visitor> {
    const tab = new Visitor(await this.page.context().newPage(), this.product)
    await tab.goto(path)
    return tab
  }

  get launcher(): Locator {
    return this.page.getByRole('button', { name: /^Live chat/ })
  }

  get panel(): Locator {
    return this.page.getByRole('dialog', { name: /Welcome to ProctorPass/ })
  }

  protected override get chat(): Locator {
    return this.panel
  }

  /** What the chat shows when it opens by itself. */
  get card(): Locator {
    return this.page.locator('.chat-card[data-placed="true"]')
  }

  /** Waits until the chat has opened by itself: as its card, or as its button where the card has no room. */
  async chatShown(): Promise<void> {
    const shown = this.page.locator('.chat-card[data-placed="true"], [data-shown="button"]')
    await shown.waitFor({ state: 'attached' })
  }

  /** Opens the panel, unless it opened by itself: for visitors who left it open. */
  async openChat(): Promise<void> {
    // In one step: the panel may open by itself between a look and a press.
    await this.page.locator('.chat-launcher').waitFor({ state: 'attached' })
    await this.page.evaluate(() => {
      const button = document.querySelector<HTMLElement>('.chat-launcher')
      if (button?.getAttribute('aria-expanded') !== 'true') button?.click()
    })
    await expect(this.panel).toBeVisible()
    await expect(this.box).toBeVisible()
  }

  async clientId(): Promise<string> {
    const id = await this.page.evaluate(() => localStorage.getItem('clientId'))
    if (!id) throw new Error('no clientId')
    return id
  }
}

export class Admin extends Person {
  /** Opens `path` in a browser that is signed in. */
  static async signIn(
    browser: Browser,
    product: Product,
    path = '/dashboard/chats',
    contextOptions: BrowserContextOptions = {},
  ): Promise<Admin> {
    const { cookies, userId } = await product.signIn()
    const context = await browser.newContext(contextOptions)
    await context.addCookies(cookies)
    await storeItems(context, product.origin, { userId })
    const admin = new Admin(await context.newPage(), product)
    await admin.goto(path)
    // On a narrow screen, the closed menu holds the button to sign out.
    await expect(admin.page.getByRole('link', { name: /^Support/ }).first()).toBeVisible()
    return admin
  }

  override async leave(): Promise<void> {
    if (this.page.isClosed()) return
    this.product.takeBack(await this.page.context().cookies())
    await super.leave()
  }

  async fillIn(password: string = ADMIN.password): Promise<void> {
    await this.page.getByLabel('Username').fill(ADMIN.userName)
    await this.page.getByLabel('Password', { exact: true }).fill(password)
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  /** A reply that is typed before the messages are there is held for a look at them. */
  override async type(text: string): Promise<void> {
    await expect(this.log).toHaveAttribute('aria-busy', 'false')
    await super.type(text)
  }

  row(clientId: string): Locator {
    return this.page.getByRole('row').filter({ hasText: clientId })
  }

  async view(clientId: string): Promise<void> {
    await this.row(clientId).getByRole('link', { name: /View/ }).click()
    await expect(this.log).toBeVisible()
  }
}
