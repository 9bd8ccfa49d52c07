import type { TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import { HeadingIds } from '@proctorpass/shared/heading-ids'
import { ARTICLE_SLUGS } from '@proctorpass/shared/limits'
import {
  type ListedText,
  PAGE_WORDS,
  type PageText,
  type PageWords,
  type ShownTexts,
} from '@proctorpass/shared/page-text'
import type { Faq } from '@proctorpass/shared/schemas/faq'
import type { Text } from '@proctorpass/shared/schemas/text'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { sectionsOf, shownHtml } from '@proctorpass/shared/shown-html'
import { articleKey, type TextKey } from '@proctorpass/shared/text-keys'
import { withWidths } from '@proctorpass/shared/upload-src-set'
import { withNames } from '@proctorpass/shared/with-names'
import { ENGLISH } from '../content/languages.ts'
import { ownNameOf } from './own-names.ts'
import type { WrittenText } from './texts.ts'

/** In the order of the sitemap and of lists. */
export const ARTICLES: readonly TextKey[] = ARTICLE_SLUGS.toSorted().map(articleKey)
const PAGES: readonly TextKey[] = [
  'home',
  'blogs',
  'reviews',
  'contact',
  'faq',
  'privacy',
  'terms',
  ...ARTICLES,
]
/** The pages that exist in other languages too. The others show lists of posts and reviews. */
const TRANSLATED: readonly TextKey[] = ['home', 'faq', 'privacy', 'terms', ...ARTICLES]

export interface PageTextDeps {
  shipped: Pick<ShippedTexts, 'article'>
  /** These read texts as `GET /texts/:key` and `GET /faq` answer them, and list what is stored. */
  texts: {
    one: (key: TextKey, lang: string) => Promise<Text>
    faq: (lang: string) => Promise<Faq>
    written: () => Promise<readonly WrittenText[]>
  }
  /** Returns the languages that are switched on. */
  languagesOn: () => Promise<readonly string[]>
  /** These have the words of an article's page, which are in the code only in English. */
  languages: {
    textsFor: (tag: string) => Promise<{ dir: PageText['dir']; texts: Readonly<Record<string, unknown>> }>
    shown: () => Promise<{ ownEnglish?: true }>
  }
  brand: string
  supportEmail: string
}

/** Shows the texts of pages. Each is read once until `clear` is called, because its content changed. */
export function createPageTexts(deps: PageTextDeps) {
  const { shipped, texts, languages, languagesOn, brand, supportEmail } = deps
  const known = new Map<string, Promise<unknown>>()

  function once<T>(name: string, read: () => Promise<T>): Promise<T> {
    const found = known.get(name) as Promise<T> | undefined
    if (found) return found
    const reading = read()
    known.set(name, reading)
    // After a failure, the next call reads again.
    reading.catch(() => known.get(name) === reading && known.delete(name))
    return reading
  }

  const written = () => once('written', texts.written)

  /** The languages besides English in which a page exists and which are switched on. */
  async function translationsOf(key: TextKey): Promise<string[]> {
    if (!TRANSLATED.includes(key)) return []
    const [on, stored] = await Promise.all([languagesOn(), written()])
    const tags = new Set(stored.filter((each) => each.own && isPartOf(key, each.key)).map(({ lang }) => lang))
    return on.filter((tag) => tag !== ENGLISH && tags.has(tag))
  }

  async function changedAt(key: TextKey, lang: string): Promise<string | null> {
    const times = (await written())
      .filter((each) => isPartOf(key, each.key) && each.lang === lang)
      .map(({ updatedAt }) => updatedAt)
    return times.sort().at(-1) ?? null
  }

  async function shown(key: TextKey, { fields, updatedAt }: Text, lang: string): Promise<unknown> {
    if (key === 'faq') return shownFaq(fields as TextFieldsByKind['faq'], await texts.faq(lang), lang)
    if (key === 'privacy' || key === 'terms') {
      const { content, ...rest } = fields as TextFieldsByKind['privacy']
      return { ...rest, sections: sectionsOf(withWidths(content)) } satisfies ShownTexts['privacy']
    }
    if (key === 'blogs') {
      const guides = ARTICLES.map(async (article) => {
        const { fields } = await texts.one(article, ENGLISH)
        return { slug: slugIn(article), heading: (fields as TextFieldsByKind['article']).h1 }
      })
      return { ...(fields as TextFieldsByKind['blogs']), guides: await Promise.all(guides) }
    }
    if (!ARTICLES.includes(key)) return fields
    const { content, ...rest } = fields as TextFieldsByKind['article']
    const { published = '', updated = '' } = shipped.article(slugIn(key)) ?? {}
    return {
      ...rest,
      ...shownHtml(withWidths(content)),
      ...{ published: dayStart(published), updated: updatedAt ?? dayStart(updated) },
    } satisfies ShownTexts['article']
  }

  /** English words are there only if they are not those of the release. */
  async function wordsOf(key: TextKey, lang: string): Promise<{ dir: PageText['dir']; page?: PageWords }> {
    const isShipped = lang === ENGLISH && !(await languages.shown()).ownEnglish
    if (isShipped) return { dir: 'ltr' }
    const { dir, texts } = await languages.textsFor(lang)
    if (!ARTICLES.includes(key)) return { dir }
    const page = PAGE_WORDS.map((name) => [name, String(texts[`page.${name}`])])
    return { dir, page: Object.fromEntries(page) }
  }

  async function read(key: TextKey, asked: string): Promise<PageText> {
    const others = await translationsOf(key)
    const lang = others.includes(asked) ? asked : ENGLISH
    const text = await texts.one(key, lang)
    const words = await wordsOf(key, lang)
    return {
      ...{ lang, dir: words.dir },
      ...(words.page && { words: words.page }),
      languages:
        others.length === 0 ? [] : [ENGLISH, ...others].map((tag) => ({ tag, name: ownNameOf(tag) })),
      ...(text.lang !== lang && { inEnglish: true }),
      text: withNames(await shown(key, text, lang), { brand, supportEmail }),
    }
  }

  /** Returns a language that is switched on, or else English. */
  async function langOf(lang = ENGLISH): Promise<string> {
    return (await languagesOn()).includes(lang) ? lang : ENGLISH
  }

  return {
    languagesOn,
    langOf,

    /** Returns the page with this key, and its language if it is switched on, or else English. Null for other keys. */
    async find(key: string, lang?: string): Promise<{ key: TextKey; lang: string } | null> {
      const page = PAGES.find((each) => each === key)
      if (page === undefined) return null
      return { key: page, lang: await langOf(lang) }
    },

    /** Returns a page's text in a language, or in English if the page is not translated. */
    page: ({ key, lang }: { key: TextKey; lang: string }): Promise<PageText> =>
      once(`${key} ${lang}`, () => read(key, lang)),

    /** Lists the pages whose text is in the store, as they are in the sitemap. */
    listed: () =>
      once('listed', async () => {
        const list: ListedText[] = []
        for (const key of PAGES) {
          for (const lang of [ENGLISH, ...(await translationsOf(key))]) list.push(await listed(key, lang))
        }
        return list
      }),

    clear(): void {
      known.clear()
    },
  }

  async function listed(key: TextKey, lang: string): Promise<ListedText> {
    const path = pathOf(key) + (lang === ENGLISH ? '' : `?lang=${lang}`)
    const updated = await changedAt(key, lang)
    if (!ARTICLES.includes(key)) return { path, updated }
    const { text } = await read(key, lang)
    const { h1, summary, published, updated: checked } = text as ShownTexts['article']
    return { path, updated: checked, ...(lang === ENGLISH && { article: { title: h1, summary, published } }) }
  }
}

export type PageTexts = ReturnType<typeof createPageTexts>

function pathOf(key: TextKey): string {
  if (key === 'home') return '/'
  return key.startsWith('article:') ? `/blog/${slugIn(key)}` : `/${key}`
}

/** Questions are parts of the FAQ. */
function isPartOf(page: TextKey, key: TextKey): boolean {
  return key === page || (page === 'faq' && key.startsWith('faq:'))
}

const slugIn = (key: TextKey) => key.slice('article:'.length)

/** Questions without a translation stay in the list, in English. */
function shownFaq(fields: TextFieldsByKind['faq'], { items, groups }: Faq, lang: string): ShownTexts['faq'] {
  const ids = new HeadingIds([...groups.map(({ id }) => id), ...items.map(({ _id }) => _id)])
  const shown = items.map(({ _id, group, question, answer, lang: own }) => ({
    group,
    ...{ id: _id, question, html: shownHtml(withWidths(answer), ids).html },
    ...(own !== lang && { lang: own }),
  }))
  return {
    ...fields,
    groups: groups.map(({ id, title }) => ({
      ...{ id, title },
      questions: shown.filter(({ group }) => group === id).map(({ group: _, ...question }) => question),
    })),
  }
}

/** Returns the start of a day (`2026-11-20`) in UTC, as ISO 8601. */
function dayStart(day: string): string {
  return `${day}T00:00:00.000Z`
}
