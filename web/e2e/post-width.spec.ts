import type { Page } from '@playwright/test'
import { expect, freshTest as test } from './test.ts'

const LONG = 'W'.repeat(500)
const nested = (open: string, close: string, depth: number) =>
  `${open.repeat(depth)}words ${LONG}${close.repeat(depth)}`
const cells = (count: number, inside: string) => `<td colspan="99">${inside}</td>`.repeat(count)

/** HTML that passes the sanitizer and could be wider than a phone. */
const WIDE = [
  ...Array.from({ length: 8 }, (_, index) => `<p class="ql-indent-${index + 1}">in ${LONG}</p>`),
  ...[1, 8].map((indent) => `<ol><li data-list="bullet" class="ql-indent-${indent}">in ${LONG}</li></ol>`),
  nested('<div class="ql-indent-8">', '</div>', 12),
  nested('<ol><li>', '</li></ol>', 200),
  nested('<ul><li class="ql-indent-8 ql-direction-rtl">', '</li></ul>', 40),
  nested('<blockquote class="ql-indent-8">', '</blockquote>', 200),
  nested('<table><tr><td>', '</td></tr></table>', 9),
  nested('<ol><li><blockquote>', '</blockquote></li></ol>', 30),
  `<blockquote><ol><li><pre>${LONG}</pre></li></ol></blockquote>`,
  `<table><tr>${cells(99, LONG)}</tr></table>`,
  `<table class="ql-indent-8"><tr>${'<td>a</td>'.repeat(400)}</tr></table>`,
  `<table><tr><td><img src="/images/posts/desk.svg" alt="x" width="99999" height="9"></td></tr></table>`,
  `<p><img src="/images/posts/desk.svg" alt="x" width="99999" height="99999"></p>`,
  `<pre class="ql-syntax ql-indent-8">${LONG}</pre>`,
  `<div class="ql-code-block-container"><div class="ql-code-block">${LONG}</div></div>`,
  `<p>${'a&nbsp;'.repeat(400)}</p><p>${'a\u2060'.repeat(400)}</p><p>${'\u200b\u200d'.repeat(400)}</p>`,
  `<p class="ql-direction-rtl ql-indent-8">\u202e${LONG}</p>`,
  `<p><span class="ql-size-huge ql-font-monospace"><code>${LONG}</code></span></p>`,
  `<h1 class="ql-indent-8"><span class="ql-size-huge">${LONG}</span></h1><h6>${LONG}</h6>`,
  `<p><a href="https://example.com/${LONG}">https://example.com/${LONG}</a></p>`,
  '<iframe class="ql-video" src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>',
]

test.use({ env: { RATE_LIMITS: 'off' } })

test('no post is wider than its page', async ({ page, product }) => {
  const title = 'W'.repeat(190)
  await product.createPost({ title, summary: title, slug: 'wide', content: WIDE.join('') })
  await page.route('https://www.youtube.com/**', (route) => route.abort())

  for (const path of ['/blog/wide', '/blogs', '/']) {
    await page.goto(product.url(path))
    await expect(page.locator('h1').first()).toBeVisible()
    for (const width of [360, 1_440]) {
      await page.setViewportSize({ width, height: 800 })
      expect([path, width, await tooWide(page)]).toEqual([path, width, []])
    }
  }
})

test('a list with all of its levels in one stands as its editor showed it', async ({ page, product }) => {
  const item = (list: string, text: string, level = 0) =>
    `<li data-list="${list}"${level === 0 ? '' : ` class="ql-indent-${level}"`}>${text}</li>`
  const items = [
    item('ordered', 'one'),
    item('ordered', 'inner', 1),
    item('bullet', 'dot', 2),
    item('ordered', 'two'),
    item('unchecked', 'to do'),
    item('checked', 'done'),
  ]
  const content = `<ol>${items.join('')}</ol>`
  await product.createPost({ title: 'List', summary: 'List', slug: 'one-list', content })
  await page.goto(product.url('/blog/one-list'))
  const list = page.locator('.post-content li')
  await expect(list).toHaveCount(6)
  const shown = await list.evaluateAll((all) =>
    all.map((each) => {
      const { listStyleType, counterIncrement } = getComputedStyle(each)
      const { content } = getComputedStyle(each, '::marker')
      return [each.textContent, listStyleType, counterIncrement, content]
    }),
  )
  expect(shown).toEqual([
    ['one', 'decimal', 'none', 'normal'],
    ['inner', 'decimal', 'list-item 0 deeper 1', 'counter(deeper, lower-alpha) ". "'],
    ['dot', 'disc', 'list-item 0', 'normal'],
    ['two', 'decimal', 'none', 'normal'],
    ['to do', '"☐ "', 'list-item 0', 'normal'],
    ['done', '"☑ "', 'list-item 0', 'normal'],
  ])
  const lefts = await list.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left))
  const [one = 0, inner = 0, dot = 0, two = 0] = lefts
  expect([inner > one, dot > inner, two]).toEqual([true, true, one])
})

/** Elements wider than the page, without those that scroll themselves. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth } = document.documentElement
    const found = [...document.querySelectorAll('.post-content *')]
      .filter((element) => element.closest('table, pre') === null || element.matches('.post-content > *'))
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => `${element.outerHTML.slice(0, 80)}: ${element.getBoundingClientRect().right}`)
    return scrollWidth > innerWidth ? [`page: ${scrollWidth}`, ...found] : found
  })
}
