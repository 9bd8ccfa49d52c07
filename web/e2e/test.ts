import { test as base, expect } from '@playwright/test'
import { aliasOf } from '@proctorpass/shared/alias'
import { Admin, Visitor } from './people.ts'
import { FreshProduct, Product } from './product.ts'

interface Fixtures {
  /** Environment of the server, merged into the defaults. */
  env: Record<string, string>
  /** A server that tests with the same `env` use one after another. It is reset after each. */
  product: Product
  /** A visitor with the chat open on the home page. */
  visitor: Visitor
  /** A signed-in admin at the list of conversations. */
  admin: Admin
}

interface WorkerFixtures {
  /** The shared server with this environment. */
  sharedProduct: (env: Record<string, string>) => Promise<Product>
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  env: [{}, { option: true }],
  sharedProduct: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright parses the pattern to find dependencies
    async ({}, use) => {
      const products = new Map<string, Product>()
      await use(async (wanted) => {
        // The limits of an address are for one visitor, not for those of all tests.
        const env = { RATE_LIMITS: 'off', ...wanted }
        const key = JSON.stringify(Object.entries(env).sort())
        const product = products.get(key) ?? (await Product.startShared(env))
        products.set(key, product)
        return product
      })
      for (const product of products.values()) await product.dispose()
    },
    { scope: 'worker' },
  ],
  product: async ({ env, sharedProduct, browser }, use, info) => {
    const product = await sharedProduct(env)
    await use(product)
    for (const context of browser.contexts()) await context.close()
    // After a failed test Playwright starts another worker.
    if (info.status === info.expectedStatus) await product.reset()
  },
  visitor: async ({ browser, product }, use) => {
    const visitor = await Visitor.arrive(browser, product)
    await visitor.openChat()
    await use(visitor)
    await visitor.leave()
  },
  admin: async ({ browser, product }, use) => {
    const admin = await Admin.signIn(browser, product)
    await use(admin)
    await admin.leave()
  },
})

/** For tests that restart the server, or need to be without what `reset` leaves: each has a server of its own. */
export const freshTest = test.extend<{ product: FreshProduct }>({
  product: async ({ env }, use) => {
    const product = await FreshProduct.start(env)
    await use(product)
    await product.dispose()
  },
})

export { expect }

export const TRANSPORTS = {
  // The default.
  push: {},
  polling: { CHAT_TRANSPORT: 'polling', CHAT_POLL_MS: '500', UNREAD_POLL_MS: '1000' },
}

/** Of the visitors of all tests of this worker: there are 4,096. */
const aliases = new Set<string>()

/** A clientId as a browser makes it, whose alias no other one has: the dashboard names visitors by it. */
export function someClientId(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(10))
    const clientId = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const alias = aliasOf(clientId)
    if (aliases.has(alias)) continue
    aliases.add(alias)
    return clientId
  }
}
