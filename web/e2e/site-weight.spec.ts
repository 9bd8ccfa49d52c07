import { ARTICLE, ARTICLES, expect, open, test } from './site.ts'

const KB = 1024

for (const [path, scripts] of [
  ['/', 112 * KB],
  [ARTICLE, 100 * KB],
] as const) {
  test(`${path} stays within its transfer sizes while the chat is closed`, async ({ page }) => {
    const sizes = { document: 0, script: 0, stylesheet: 0, font: 0 }
    const fonts = new Set<string>()
    const waiting: Promise<void>[] = []
    page.on('requestfinished', (request) => {
      const type = request.resourceType() as keyof typeof sizes
      if (type === 'font') fonts.add(request.url())
      if (!(type in sizes)) return
      waiting.push(
        request.sizes().then(({ responseBodySize }) => {
          sizes[type] += responseBodySize
        }),
      )
    })
    await open(page, path)
    await page.waitForLoadState('networkidle')
    await Promise.all(waiting)
    expect(sizes.script).toBeGreaterThan(0)
    expect(sizes.script).toBeLessThanOrEqual(scripts)
    expect(sizes.stylesheet).toBeLessThanOrEqual(20 * KB)
    expect(sizes.document).toBeLessThanOrEqual(40 * KB)
    expect(fonts.size).toBeLessThanOrEqual(1)
  })
}

test('no article transfers more than 40 KB of HTML', async ({ page }) => {
  for (const path of ARTICLES) {
    const answer = await page.goto(path)
    expect(await answer?.headerValue('content-encoding')).toBe('br')
    const { responseBodySize } = (await answer?.request().sizes()) ?? {}
    expect(responseBodySize, path).toBeGreaterThan(1 * KB)
    expect(responseBodySize, path).toBeLessThanOrEqual(40 * KB)
  }
})
