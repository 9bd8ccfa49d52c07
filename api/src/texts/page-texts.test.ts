import type { PageText, ShownTexts } from '@proctorpass/shared/page-text'
import type { Faq } from '@proctorpass/shared/schemas/faq'
import type { Text } from '@proctorpass/shared/schemas/text'
import type { TextKey } from '@proctorpass/shared/text-keys'
import { expect, it, vi } from 'vitest'
import { NO_WORDS, shippedSource } from '../../test/shipped-source.ts'
import { createPageTexts } from './page-texts.ts'
import { loadShippedTexts } from './shipped-texts.ts'

const shipped = loadShippedTexts()
const source = shippedSource(shipped)

/** The shipped texts, with these in the store besides. */
function opened(own: Partial<Text>[] = [], ownFaq?: (lang: string) => Promise<Faq>) {
  const texts = {
    one: vi.fn(async (key: TextKey, lang: string): Promise<Text> => {
      const found = own.find((each) => each.key === key && each.lang === lang)
      return found ? { ...(await source.one(key, 'en')), state: 'own', ...found } : source.one(key, 'en')
    }),
    faq: ownFaq ?? source.faq,
    written: async () =>
      own.map(({ key = 'home', lang = 'en', updatedAt }) => ({
        key,
        lang,
        own: true,
        updatedAt: updatedAt ?? '',
      })),
  }
  const pageTexts = createPageTexts({
    ...{ shipped, texts, languages: NO_WORDS, brand: 'A & "B"', supportEmail: 'help@a.example' },
    languagesOn: async () => ['en', 'zh', 'ar'],
  })
  const page = async (key: string, lang = 'en') => {
    const found = await pageTexts.find(key, lang)
    return found && pageTexts.page(found)
  }
  return { texts, pageTexts, page }
}

const article = async (key: string) => ((await opened().page(key)) as PageText<ShownTexts['article']>).text

it('shows the shipped texts, with the names of the business', async () => {
  const { page } = opened()
  expect(await page('home')).toMatchObject({
    ...{ lang: 'en', dir: 'ltr', languages: [] },
    text: { title: 'A & "B": get ready for your proctored exam' },
  })
  expect(await page('faq')).toMatchObject({
    text: {
      heading: 'Questions and answers',
      groups: expect.arrayContaining([
        {
          id: 'payment',
          title: 'Payment',
          questions: expect.arrayContaining([
            {
              id: 'how-do-refunds-work',
              question: 'How do refunds work?',
              html: expect.stringContaining('<a href="/contact">contact page</a>'),
            },
          ]),
        },
      ]),
    },
  })
  expect(await page('blogs')).toMatchObject({
    text: {
      guides: expect.arrayContaining([{ slug: 'how-to-cheat-on-proctoru', heading: expect.any(String) }]),
    },
  })
  expect(await article('article:how-to-cheat-on-proctoru')).toMatchObject({
    ...{ published: '2026-07-28T00:00:00.000Z', updated: '2026-11-19T00:00:00.000Z' },
    headings: expect.arrayContaining([{ id: expect.any(String), text: expect.any(String) }]),
  })
  for (const key of ['article:', 'article:x', 'faq:how-do-refunds-work', 'toString']) {
    expect(await page(key)).toBeNull()
  }
})

it('escapes the names in HTML', async () => {
  const content = '<h2>Of {brand}</h2><p><a href="mailto:{supportEmail}">{supportEmail}</a></p>'
  const fields = { title: '{brand}', content } as Text['fields']
  expect((await opened([{ key: 'terms', lang: 'en', fields }]).page('terms'))?.text).toEqual({
    title: 'A & "B"',
    sections: [
      {
        id: 'of-brand',
        html: '<h2 id="of-brand">Of A &amp; &quot;B&quot;</h2><div class="prose"><p><a href="mailto:help@a.example">help@a.example</a></p></div>',
      },
    ],
  })
})

it('knows the languages in which a page exists', async () => {
  const fields = { title: '隐私', content: '<h2>阅读</h2>' } as Text['fields']
  const { page, pageTexts } = opened([
    { key: 'privacy', lang: 'zh', fields, updatedAt: '2026-12-01T00:00:00.000Z' },
    { key: 'privacy', lang: 'de', fields },
    { key: 'reviews', lang: 'zh', fields },
  ])
  const languages = [
    { tag: 'en', name: 'English' },
    { tag: 'zh', name: '中文' },
  ]
  expect(await page('privacy', 'zh')).toEqual({
    ...{ lang: 'zh', dir: 'ltr', languages },
    text: { title: '隐私', sections: [{ id: '阅读', html: '<h2 id="阅读">阅读</h2>' }] },
  })
  expect(await page('privacy')).toMatchObject({ lang: 'en', languages })
  for (const lang of ['ar', 'de', 'xx']) expect(await page('privacy', lang)).toMatchObject({ lang: 'en' })
  expect(await page('reviews', 'zh')).toMatchObject({ lang: 'en', languages: [] })
  const listed = await pageTexts.listed()
  expect(listed).toContainEqual({ path: '/privacy?lang=zh', updated: '2026-12-01T00:00:00.000Z' })
  expect(listed).toContainEqual({ path: '/privacy', updated: null })
  expect(listed.filter(({ article }) => article)).toHaveLength(5)
})

it('shows the FAQ in a language as soon as a question is translated', async () => {
  const { page, pageTexts } = opened(
    [{ key: 'faq:how-do-refunds-work', lang: 'ar', updatedAt: '2026-12-01T00:00:00.000Z' }],
    async (lang) => {
      const faq = await source.faq(lang)
      const items = faq.items.map((item) =>
        lang === 'ar' && item._id === 'how-do-refunds-work' ? { ...item, question: 'كيف؟', lang } : item,
      )
      return { ...faq, items }
    },
  )
  const faq = (await page('faq', 'ar')) as PageText<ShownTexts['faq']>
  expect(faq).toMatchObject({ lang: 'ar', dir: 'rtl', inEnglish: true })
  const questions = faq.text.groups.flatMap(({ questions }) => questions)
  expect(questions.filter(({ lang }) => lang === undefined).map(({ question }) => question)).toEqual(['كيف؟'])
  expect(questions.filter(({ lang }) => lang === 'en')).toHaveLength(questions.length - 1)
  expect((await pageTexts.listed()).find(({ path }) => path === '/faq?lang=ar')?.updated).toBe(
    '2026-12-01T00:00:00.000Z',
  )
})

it('reads a text once, until the content changes', async () => {
  const { texts, pageTexts, page } = opened()
  await Promise.all([page('contact'), page('contact', 'xx'), page('contact')])
  expect(texts.one).toHaveBeenCalledOnce()
  pageTexts.clear()
  texts.one.mockRejectedValueOnce(new Error('away'))
  await expect(page('contact')).rejects.toThrow('away')
  expect(await page('contact')).toMatchObject({ text: { heading: 'Contact' } })
})
