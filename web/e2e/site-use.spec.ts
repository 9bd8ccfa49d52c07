import type { Page } from '@playwright/test'
import { ARTICLE, expect, open, PAGES, test } from './site.ts'

test('the first Tab stop skips the header', async ({ page }) => {
  await open(page, '/faq')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to content' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.locator('#main')).toBeFocused()
  await page.keyboard.press('Tab')
  // The first focusable element of the page itself.
  await expect(page.locator('main :focus')).toHaveCount(1)
})

test('after a navigation the focus is on the main part, at the top', async ({ page }) => {
  await open(page, '/blogs')
  const link = page.locator('.post-card a').last()
  await link.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/blog\//)
  await expect(page.locator('#main')).toBeFocused()
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
})

test('the menu of a small screen works by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await open(page, '/faq')
  const button = page.getByRole('button', { name: 'Menu' })
  const menu = page.getByRole('navigation', { name: 'Main' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(menu).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(button).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(menu).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(menu.getByRole('link', { name: 'Home' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/blogs')
  await expect(menu).toBeHidden()
})

test('answers open by keyboard', async ({ page }) => {
  await open(page, '/faq')
  const first = page.locator('details').first()
  await first.locator('summary').focus()
  await page.keyboard.press('Enter')
  await expect(first.locator('p').first()).toBeVisible()
  await page.keyboard.press('Space')
  await expect(first.locator('p').first()).toBeHidden()
})

test('nothing scrolls sideways at 320 px, also with text at 200 %', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 568 })
  for (const path of [...PAGES, '/no-such-page', '/unauthorized']) {
    await open(page, path)
    expect(await overflow(page), path).toBe(0)
    await doubleText(page)
    expect(await overflow(page), `${path} at 200%`).toBe(0)
  }
  await page.setViewportSize({ width: 1280, height: 720 })
  for (const path of ['/', ARTICLE]) {
    await open(page, path)
    await doubleText(page)
    expect(await overflow(page), `${path} at 200%, wide`).toBe(0)
  }
})

for (const font of ['font', 'stand-in for the font']) {
  test(`no word of a heading and of the opening breaks in the ${font}, also with large text`, async ({
    page,
  }) => {
    const widths = [320, 360, 768, 800, 900, 1024, 1280, 1440]
    if (font !== 'font') await page.route('**/*.woff2', (route) => route.abort())
    for (const path of ['/', '/faq', '/reviews', '/contact']) {
      await open(page, path)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        expect(await brokenWords(page), `${path} at ${width} px`).toEqual([])
      }
      for (const percent of path === '/' ? [200, 250] : [200]) {
        await enlargeText(page, percent)
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 })
          expect(await brokenWords(page), `${path} at ${width} px and ${percent}%`).toEqual([])
        }
      }
    }
  })
}

test('the heading of the home page takes at most three lines', async ({ page }) => {
  await open(page, '/')
  for (const width of [390, 768, 900, 1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    const heading = page.getByRole('heading', { level: 1 })
    const lines = await heading.evaluate((element) => {
      const { height } = element.getBoundingClientRect()
      return Math.round(height / Number.parseFloat(getComputedStyle(element).lineHeight))
    })
    expect(lines, `${width} px`).toBeLessThanOrEqual(3)
  }
})

test.describe('with a finger', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

  test('nothing scrolls sideways at 320 px with text at 200 %', async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 568 })
    for (const path of PAGES) {
      await open(page, path)
      await doubleText(page)
      expect(await overflow(page), path).toBe(0)
    }
  })

  test('the links that stand alone have 44 px', async ({ page }) => {
    for (const [path, links] of [
      ['/', '.average a, .opening-ways > *, .more-link, .ways a, .site-footer a'],
      [ARTICLE, '.in-this-article a, .site-footer a'],
    ] as const) {
      await open(page, path)
      const heights = await page
        .locator(links)
        .evaluateAll((all) =>
          all.filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect().height),
        )
      expect(heights.length).toBeGreaterThan(8)
      expect(Math.min(...heights), path).toBeGreaterThanOrEqual(44)
    }
  })
})

test("the footer's last three lines are equally far from each other", async ({ page }) => {
  await open(page, '/')
  const middles = await page.locator('.site-footer-ways > *').evaluateAll((all) =>
    all
      .filter((each) => each.checkVisibility() && each.tagName !== 'NOSCRIPT')
      .map((each) => each.getBoundingClientRect())
      .map(({ top, height }) => top + height / 2),
  )
  expect(middles).toHaveLength(3)
  const [first = 0, second = 0, third = 0] = middles
  expect(third - second).toBeCloseTo(second - first, 0)
})

test("the banner's words stand on its lines, also with text at 200 %", async ({ page }) => {
  await open(page, '/')
  /** How far each text's last baseline is above a ruled line's upper edge, in px. */
  const gaps = () =>
    page.evaluate(() => {
      const section = document.querySelector('.banner-lines') as HTMLElement
      const { top } = section.getBoundingClientRect()
      return [...section.querySelectorAll('h2, .banner > p:has(+ *)')].map((text) => {
        const line = Number.parseFloat(getComputedStyle(text).lineHeight)
        const mark = document.createElement('span')
        Object.assign(mark.style, { display: 'inline-block', width: '0px', height: '0px' })
        text.append(mark)
        const baseline = mark.getBoundingClientRect().bottom - top - section.clientTop
        mark.remove()
        const gap = (((line - 1 - baseline) % line) + line) % line
        return gap > line / 2 ? gap - line : gap
      })
    })
  for (const scale of [100, 200]) {
    if (scale === 200) await doubleText(page)
    for (const width of [320, 390, 768, 1280, 1600]) {
      await page.setViewportSize({ width, height: 800 })
      const measured = await gaps()
      expect(measured).toHaveLength(2)
      for (const gap of measured) expect(Math.abs(gap), `${width} px at ${scale}%`).toBeLessThanOrEqual(1.5)
    }
  }
})

test("no field and no link of a page passes below the chat's button on a tablet", async ({ page }) => {
  const used = page.locator('main').locator('a, button, input, textarea, select, summary')
  for (const path of PAGES) {
    await open(page, path)
    for (const width of [640, 768, 1024]) {
      await page.setViewportSize({ width, height: 800 })
      const button = await page.locator('.chat-launcher').boundingBox()
      const ends = await used.evaluateAll((all) =>
        all.filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect().right),
      )
      expect(Math.max(0, ...ends), `${path} at ${width} px`).toBeLessThanOrEqual(button?.x ?? 0)
    }
  }
})

test('the tagline is animated, but not with reduced motion', async ({ page }) => {
  const typing = () =>
    page.evaluate(() => {
      const tagline = document.querySelector('.tagline')
      return tagline?.getAnimations({ subtree: true }).length
    })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await open(page, '/')
  expect(await typing()).toBe(0)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await expect.poll(typing).toBeGreaterThan(0)
})

test('in forced colors only the current page of a list has an edge', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await open(page, '/blogs')
  const pager = page.getByRole('navigation', { name: /pages/i }).first()
  const edges = await pager.getByRole('link').evaluateAll((all) => {
    const ground = getComputedStyle(document.body).backgroundColor
    return all.map((each) => ({
      isCurrent: each.getAttribute('aria-current') === 'page',
      hasEdge: getComputedStyle(each).borderTopColor !== ground,
    }))
  })
  expect(edges.length).toBeGreaterThan(2)
  for (const { isCurrent, hasEdge } of edges) expect(hasEdge).toBe(isCurrent)
})

test('the print style shows the text and hides the controls', async ({ page }) => {
  await open(page, ARTICLE)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('.prose p').first()).toBeVisible()
  const forScreens = ['header nav', 'header button', '.in-this-article', '.related', '.chat-launcher']
  for (const selector of forScreens) await expect(page.locator(selector).first(), selector).toBeHidden()
  await page.emulateMedia({ media: 'screen' })
  await page.goto('/faq')
  await page.emulateMedia({ media: 'print' })
  for (const answer of await page.locator('details .prose').all()) {
    expect((await answer.boundingBox())?.height).toBeGreaterThan(0)
  }
})

function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** Returns the words of the main heading, and of what stands in the home page's opening, that take two lines. */
async function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const range = document.createRange()
    return [...document.querySelectorAll('main h1, .opening > *')].flatMap((part) => {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
      const broken: string[] = []
      while (texts.nextNode()) {
        const text = texts.currentNode as Text
        for (const { 0: word, index } of text.data.matchAll(/[^\s\u2013-]+/g)) {
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          const tops = [...range.getClientRects()]
            .filter(({ width }) => width > 1)
            .map(({ top }) => Math.round(top))
          if (new Set(tops).size > 1) broken.push(word)
        }
      }
      return broken
    })
  })
}

const doubleText = (page: Page) => enlargeText(page, 200)

async function enlargeText(page: Page, percent: number): Promise<void> {
  await page.evaluate((size) => {
    document.documentElement.style.fontSize = size
  }, `${percent}%`)
}
