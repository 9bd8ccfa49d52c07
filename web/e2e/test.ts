import { test as base, expect } from '@playwright/test'
import { Admin, Visitor } from './people.ts'
import { Product } from './product.ts'

interface Fixtures {
  /** Environment of the server, merged into the defaults. */
  env: Record<string, string>
  /** One server per test. */
  product: Product
  /** A visitor with the chat open on the home page. */
  visitor: Visitor
  /** A signed-in admin at the list of conversations. */
  admin: Admin
}

export const test = base.extend<Fixtures>({
  env: [{}, { option: true }],
  product: async ({ env }, use) => {
    const product = await Product.start(env)
    await use(product)
    await product.dispose()
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

export { expect }

export const TRANSPORTS = {
  push: { CHAT_TRANSPORT: 'push' },
  polling: { CHAT_TRANSPORT: 'polling', CHAT_POLL_MS: '500', UNREAD_POLL_MS: '1000' },
}

/** A clientId as a browser makes it. */
export function someClientId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
