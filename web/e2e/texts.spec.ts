import type { Page } from '@playwright/test'
import type { Text } from '@proctorpass/shared/schemas/text'
import { violationsInBothSchemes } from './axe.ts'
import { Visitor } from './people.ts'
import type { Product } from './product.ts'
import { ARTICLE } from './site.ts'
import { expect, freshTest } from './test.ts'

const KEY = encodeURIComponent(`article:${ARTICLE.slice('/blog/'.length)}`)

async function write(product: Product, key: string, change: object, lang = 'en'): Promise<void> {
  const { fields, version } = await product.callAsAdmin<Text>('GET', `/texts/${key}?lang=${lang}`)
  await product.callAsAdmin('PUT', `/texts/${key}?lang=${lang}`, {
    fields: { ...fields, ...change },
    version,
  })
}

const htmlAt = async (product: Product, path: string) => (await fetch(product.url(path))).text()
const stateIn = (html: string) => /id="page-state">(.*?)<\/script>/s.exec(html)?.[1] ?? ''
const lang = (page: Page) => page.evaluate(() => document.documentElement.lang)

freshTest(
  'an edit is on the page, in the sitemap, the feed, and the FAQ for search engines',
  async ({ product, browser }) => {
    const visitor = await Visitor.arrive(browser, product, { path: ARTICLE })
    await write(product, KEY, { h1: 'Giraffes of {brand}', content: '<h2>Ögn</h2><p>Wholly new words.</p>' })
    await product.callAsAdmin('PATCH', '/faq/how-do-refunds-work', {
      answer: '<p>In giraffes.</p>',
      version: 0,
    })

    const html = await htmlAt(product, ARTICLE)
    expect(html).toContain('>Giraffes of ProctorPass</h1>')
    expect(html).toContain('<h2 id="o-gn">Ögn</h2>')
    expect(html.split('Wholly new words').length).toBe(2)
    expect(stateIn(html)).not.toMatch(/Giraffes|Ögn|Line drawing/)
    const today = new Date().toISOString().slice(0, 10)
    expect(await htmlAt(product, '/sitemap.xml')).toMatch(new RegExp(`${ARTICLE}</loc><lastmod>${today}`))
    expect(await htmlAt(product, '/sitemap.xml')).toMatch(new RegExp(`/faq</loc><lastmod>${today}`))
    expect(await htmlAt(product, '/feed.xml')).toContain('<title>Giraffes of ProctorPass</title>')
    const faq = await htmlAt(product, '/faq')
    expect(faq).toMatch(
      /"@type":"Question","name":"How do refunds work\?","acceptedAnswer":.{1,60}"In giraffes\."/,
    )
    expect(stateIn(faq)).not.toContain('giraffes')

    const { page } = visitor
    await visitor.goto(ARTICLE)
    await expect(page).toHaveTitle(/Can ProctorU detect phones/)
    await expect(page.getByRole('navigation', { name: 'In this article' }).getByRole('link')).toHaveText([
      'Ögn',
    ])
    await page.getByRole('link', { name: 'FAQ' }).first().click()
    await page.getByText('How do refunds work?').click()
    await expect(page.getByText('In giraffes.')).toBeVisible()
    expect(visitor.complaints).toEqual([])
    await visitor.leave()
  },
)

freshTest(
  'a translated page is a page of its own, and leads to its languages',
  async ({ product, browser }) => {
    for (const path of ['/terms?lang=zh', '/terms?lang=de', '/terms?lang=x']) {
      const html = await htmlAt(product, path)
      expect(html).toContain('<html lang="en">')
      expect(html).toContain(`<link rel="canonical" href="${product.origin}/terms" />`)
      expect(html).not.toContain('hreflang')
    }
    await write(product, 'terms', { heading: '条款', content: '<h2>我们的工作</h2><p>准备。</p>' }, 'zh')
    await write(product, KEY, { h1: '手机', content: '<h2>概述</h2><p>词</p>' }, 'zh')
    const html = await htmlAt(product, '/terms?lang=zh')
    expect(html).toContain('<html lang="zh">')
    expect(html).toContain(`<link rel="canonical" href="${product.origin}/terms?lang=zh" />`)
    for (const each of [html, await htmlAt(product, '/terms')]) {
      expect(each).toContain(`<link rel="alternate" hreflang="zh" href="${product.origin}/terms?lang=zh" />`)
      expect(each).toContain(`<link rel="alternate" hreflang="x-default" href="${product.origin}/terms" />`)
    }
    expect(await htmlAt(product, '/sitemap.xml')).toContain(`<loc>${product.origin}/terms?lang=zh</loc>`)

    const visitor = await Visitor.arrive(browser, product, { path: '/terms?lang=zh' })
    const { page } = visitor
    await expect(page.getByRole('heading', { name: '我们的工作' })).toHaveAttribute('id', '我们的工作')
    await expect(page.getByRole('banner')).toHaveAttribute('lang', 'en')
    await expect(page.getByRole('contentinfo')).toHaveAttribute('lang', 'en')
    expect(await violationsInBothSchemes(page)).toEqual([])
    const languages = page.getByRole('navigation', { name: 'Languages' })
    await expect(languages.getByRole('link')).toHaveText(['English', '中文'])
    await languages.getByRole('link', { name: 'English' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Terms')
    expect(await lang(page)).toBe('en')
    await languages.getByRole('link', { name: '中文' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('条款')
    expect(await lang(page)).toBe('zh')
    await visitor.goto(`${ARTICLE}?lang=zh`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('手机')
    await expect(page.getByRole('link', { name: '概述' })).toBeVisible()
    expect(visitor.complaints).toEqual([])
    await visitor.leave()
  },
)
