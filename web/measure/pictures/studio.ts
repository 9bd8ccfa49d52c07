import { type Browser, type BrowserContextOptions, devices, type Page } from '@playwright/test'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { type Admin, Visitor } from '../../e2e/people.ts'
import type { FreshProduct } from '../../e2e/product.ts'
import { enlargeToContent, settle } from './settle.ts'
import { openSignedIn } from './signed-in.ts'

export type Device = 'desktop' | 'phone'

const CONTEXTS: Record<Device, BrowserContextOptions> = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: {
    ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
    userAgent: devices['Pixel 7'].userAgent,
  },
}

/** What a pose works with. The visitor or the admin has opened the picture's path. */
export interface Scene {
  page: Page
  product: FreshProduct
  browser: Browser
  device: Device
  /** Opens a page of an admin that is not in the picture. It closes after the picture. */
  backstage: (path: string) => Promise<Admin>
}

export interface Picture {
  /** The beginning of the file's name, such as `inbox-chosen`. */
  name: string
  path: string | ((product: FreshProduct) => Promise<string>)
  /** The default is an admin for paths of the dashboard, and otherwise a visitor. */
  as?: 'visitor' | 'admin'
  /** Whether the picture shows the page to its end and not one screen. */
  isWhole?: boolean
  /** Both devices without it. */
  only?: Device
  /** Settings that the picture needs. They are reset after it. */
  settings?: Partial<Settings>
  /** Whether the picture is of a product without content. */
  isEmpty?: boolean
  /** Whether an admin is there to answer. */
  isStaffed?: boolean
  /** Whether the chat opens as it does on a first visit. Otherwise only its button shows. */
  isFirstVisit?: boolean
  /** Brings the page into the state of the picture. */
  pose?: (scene: Scene) => Promise<unknown>
  /** Undoes what the pose stored. */
  tidy?: (product: FreshProduct) => Promise<unknown>
}

interface Products {
  filled: () => Promise<FreshProduct>
  empty: () => Promise<FreshProduct>
}

/** Takes pictures of a running product. */
export class Studio {
  private readonly browser: Browser
  private readonly products: Products

  constructor(browser: Browser, products: Products) {
    this.browser = browser
    this.products = products
  }

  /**
   * Calls `take` with the posed page in light and then in dark. Resolves to the pose's error, or null. The pictures are
   * taken even if the pose failed, because they show why.
   */
  async shoot(
    picture: Picture,
    device: Device,
    take: (page: Page, scheme: 'light' | 'dark') => Promise<void>,
  ): Promise<Error | null> {
    const product = await (picture.isEmpty ? this.products.empty() : this.products.filled())
    const others: Admin[] = []
    const backstage = async (path: string) => {
      const admin = await openSignedIn(this.browser, product, path)
      others.push(admin)
      return admin
    }
    if (picture.settings) await product.configure(picture.settings)
    if (picture.isStaffed) await backstage('/dashboard/account')
    const page = await this.open(picture, device, product)
    let problem: Error | null = null
    try {
      page.setDefaultTimeout(15_000)
      await settle(page)
      await picture.pose?.({ page, product, browser: this.browser, device, backstage })
    } catch (error) {
      problem = error as Error
    }
    await settle(page)
    if (picture.isWhole) await enlargeToContent(page)
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await take(page, scheme)
    }
    await this.tidy(picture, page, product)
    for (const other of others) await other.leave()
    return problem
  }

  private async open(picture: Picture, device: Device, product: FreshProduct): Promise<Page> {
    const path = typeof picture.path === 'string' ? picture.path : await picture.path(product)
    const { as = path.startsWith('/dashboard') ? 'admin' : 'visitor', isFirstVisit = false } = picture
    const context = { ...CONTEXTS[device], locale: 'en-US', colorScheme: 'light' as const }
    if (as === 'admin') return (await openSignedIn(this.browser, product, path, context)).page
    const stored = isFirstVisit ? {} : { stored: { liveChat: 'false' } }
    return (await Visitor.arrive(this.browser, product, { ...context, ...stored, path })).page
  }

  private async tidy(picture: Picture, page: Page, product: FreshProduct): Promise<void> {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    const clientId = await page.evaluate(() => localStorage.getItem('clientId')).catch(() => null)
    if (page.url().includes('/dashboard')) product.takeBack(await page.context().cookies())
    await page.context().close()
    // Erases the picture's own conversation, so that other pictures do not show it.
    if (clientId) await product.callAsAdmin('DELETE', `/chat/admin/${clientId}`).catch(() => undefined)
    await picture.tidy?.(product)
    if (picture.settings) await product.resetSettings()
  }
}
