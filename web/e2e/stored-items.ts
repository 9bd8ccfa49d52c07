import type { BrowserContext } from '@playwright/test'

/** Stored where the items are. */
const MARK = 'test:stored'

/**
 * Stores items of an origin before the first script of its first page. Pages may change them afterwards. Playwright's
 * `storageState` opens a page of its own for it, which makes each sign-in slower.
 */
export async function storeItems(
  context: BrowserContext,
  origin: string,
  items: Record<string, string>,
): Promise<void> {
  await context.addInitScript(
    ({ origin, items, MARK }) => {
      // A sandboxed frame has another origin, and no storage.
      if (self.origin !== origin || localStorage.getItem(MARK) !== null) return
      for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value)
      localStorage.setItem(MARK, 'true')
    },
    { origin, items, MARK },
  )
}
