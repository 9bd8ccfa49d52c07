import type { Page } from '@playwright/test'

const QUIET_TIMEOUT_MS = 8_000
const HEIGHT_MAX = 12_000

/** Waits until the page shows what it loads. A page that still loads after a while is taken as it is. */
export async function settle(page: Page): Promise<void> {
  const words = ['Loading', 'Loading...', 'Still counting']
  await page.waitForLoadState('networkidle', { timeout: QUIET_TIMEOUT_MS }).catch(() => undefined)
  for (const text of words) {
    const shown = page.getByText(text, { exact: true }).first()
    await shown.waitFor({ state: 'hidden', timeout: QUIET_TIMEOUT_MS }).catch(() => undefined)
  }
  await page.evaluate(async () => {
    await document.fonts.ready
    const isNear = (image: HTMLImageElement) => image.getBoundingClientRect().top < 2 * innerHeight
    const images = [...document.images].filter((image) => image.loading !== 'lazy' || isNear(image))
    await Promise.race([
      Promise.allSettled(images.map((image) => image.decode())),
      new Promise((resolve) => setTimeout(resolve, 3_000)),
    ])
  })
}

/** Makes the screen so high that the page and the part of it that scrolls show all they have. */
export async function enlargeToContent(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const hidden = await page.evaluate(async () => {
    for (const image of document.images) image.loading = 'eager'
    await Promise.allSettled([...document.images].map((image) => image.decode()))
    const scrolls = [...document.querySelectorAll('main, main *, html')].filter((element) => {
      const { overflowY } = getComputedStyle(element)
      return element === document.documentElement || overflowY === 'auto' || overflowY === 'scroll'
    })
    return Math.max(0, ...scrolls.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight))
  })
  if (hidden === 0) return
  await page.setViewportSize({ width, height: Math.min(HEIGHT_MAX, height + hidden) })
  await settle(page)
}
