import type { Browser } from '@playwright/test'

/** How many times slower the processor of pages is. */
const SLOWDOWN = Number(process.env.SLOWDOWN ?? 1)

/** Slows the pages down that the browser opens from now on. */
export function slowPages(browser: Browser): void {
  if (SLOWDOWN === 1) return
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.on('page', async (page) => {
      const slow = async () => {
        const session = await context.newCDPSession(page)
        await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
      }
      await slow().catch((error: unknown) => {
        // A test may close it at once.
        if (!page.isClosed()) throw error
      })
    })
    return context
  }
}
