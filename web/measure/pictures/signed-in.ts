import type { Browser, BrowserContextOptions } from '@playwright/test'
import { Admin } from '../../e2e/people.ts'
import type { FreshProduct } from '../../e2e/product.ts'
import { storeItems } from '../../e2e/stored-items.ts'
import { settle } from './settle.ts'

/** Opens a page of the dashboard. Unlike `Admin.signIn`, it expects nothing of what the page shows. */
export async function openSignedIn(
  browser: Browser,
  product: FreshProduct,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Admin> {
  const { cookies, userId } = await product.signIn()
  const context = await browser.newContext(options)
  await context.addCookies(cookies)
  await storeItems(context, product.origin, { userId })
  const admin = new Admin(await context.newPage(), product)
  await admin.goto(path)
  await admin.page.getByRole('main').waitFor()
  await settle(admin.page)
  return admin
}
