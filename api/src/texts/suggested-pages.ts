import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { PER_PAGE_MAX } from '@proctorpass/shared/limits'
import type { PageText, ShownTexts } from '@proctorpass/shared/page-text'
import type { SuggestedPage, Suggestions } from '@proctorpass/shared/schemas/suggestion'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { plainText } from '@proctorpass/shared/shown-html'
import type { TextKey } from '@proctorpass/shared/text-keys'
import { termsOf } from '@proctorpass/shared/tokenizer'
import type { Blogs } from '../content/blogs.ts'
import { ENGLISH } from '../content/languages.ts'
import { ARTICLES, type PageTexts } from './page-texts.ts'

/** The most bytes on the wire. */
const BYTES_MAX = 30 * 1_024

interface Deps {
  shipped: Pick<ShippedTexts, 'article'>
  pageTexts: Pick<PageTexts, 'find' | 'page'>
  blogs: Pick<Blogs, 'list'>
}

/** Makes what browsers search while a visitor types: the FAQ, the articles, and the newest posts that fit. */
export function createSuggestedPages({ shipped, pageTexts, blogs }: Deps) {
  async function textOf<Key extends keyof ShownTexts>(key: TextKey, lang: string) {
    const found = await pageTexts.find(key, lang)
    return pageTexts.page(found ?? { key, lang: ENGLISH }) as Promise<PageText<ShownTexts[Key]>>
  }

  async function questions(lang: string): Promise<SuggestedPage[]> {
    const faq = await textOf<'faq'>('faq', lang)
    return faq.text.groups
      .flatMap((group) => group.questions)
      .map(({ id, question, html, lang: own = faq.lang }) => ({
        path: `${inLanguage('/faq', own)}#${id}`,
        ...withTerms(question, html),
      }))
  }

  async function article(key: TextKey, lang: string): Promise<SuggestedPage> {
    const { text, lang: own } = await textOf<'article'>(key, lang)
    const slug = key.slice('article:'.length)
    const { onlyFor } = shipped.article(slug) ?? {}
    return {
      path: inLanguage(`/blog/${slug}`, own),
      ...withTerms(text.h1, [text.title, text.summary, text.description, text.html].join('\n')),
      ...(onlyFor !== undefined && { onlyFor }),
    }
  }

  async function posts(): Promise<SuggestedPage[]> {
    const list = await blogs.list({ page: 1, perPage: PER_PAGE_MAX })
    return list.blogs.map(({ slug, title, summary }) => ({
      path: `/blog/${slug}`,
      ...withTerms(title, summary, (text) => text),
    }))
  }

  return async (lang = ENGLISH): Promise<Suggestions> => {
    const [asked, articles, newest] = await Promise.all([
      questions(lang),
      Promise.all(ARTICLES.map((key) => article(key, lang))),
      posts(),
    ])
    // An article hides a post with the same slug.
    const slugs = new Set(ARTICLES.map((key) => `/blog/${key.slice('article:'.length)}`))
    return fitting([...asked, ...articles, ...newest.filter(({ path }) => !slugs.has(path))])
  }
}

export type SuggestedPages = ReturnType<typeof createSuggestedPages>

/** Leaves out the last pages that do not fit. */
async function fitting(all: SuggestedPage[]): Promise<Suggestions> {
  let pages = all
  for (;;) {
    const { length } = await promisify(brotliCompress)(JSON.stringify({ pages }))
    if (length <= BYTES_MAX) return { pages }
    pages = pages.slice(0, Math.floor((pages.length * BYTES_MAX) / length))
  }
}

/** `terms` has each term once that the title does not contain. */
function withTerms(title: string, text: string, plain = withoutTags): Omit<SuggestedPage, 'path'> {
  const known = new Set(termsOf(title))
  const terms = termsOf(plain(text)).filter((term) => !known.has(term))
  return { title, terms: terms.sort().join(' ') }
}

/** Elements divide words. */
function withoutTags(html: string): string {
  return plainText(html.replaceAll('<', ' <'))
}

function inLanguage(path: string, lang: string): string {
  return lang === ENGLISH ? path : `${path}?lang=${lang}`
}
