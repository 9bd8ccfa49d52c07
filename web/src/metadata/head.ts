import type { RenderInput } from '@proctorpass/shared/ssr'
import { withBrand } from '../content/with-brand.ts'
import { CARD_HEIGHT, CARD_WIDTH, cardOf } from './card.ts'
import { escapeMarkup, jsonForHtml } from './escape.ts'
import { cut, langOf, type PageHead, titleOf } from './page-head.ts'
import { FEED_PATH, manifestPath } from './site-paths.ts'
import { structuredData } from './structured-data.ts'

const DESCRIPTION_MIN = 50
const DESCRIPTION_MAX = 165

/** Returns the tags in a page's `<head>`, without styles and scripts. */
export function headTags(input: RenderInput, head: PageHead): string {
  const { config, publicUrl } = input
  const title = titleOf(head, config.brand)
  const tags = [
    `<title>${escapeMarkup(title)}</title>`,
    link('manifest', manifestPath(head)),
    link('apple-touch-icon', '/apple-touch-icon.png'),
  ]
  if (head.noindex) return [...tags, meta('name', 'robots', 'noindex')].join('\n    ')

  const description = descriptionOf(input, head)
  const canonical = canonicalUrl(input.url, publicUrl, head)
  const card = cardOf(head.image, publicUrl)
  const imageAlt = card.own ? head.imageAlt : undefined
  tags.push(
    meta('name', 'description', description),
    link('canonical', canonical),
    ...alternates(publicUrl + new URL(input.url).pathname, head),
    `<link rel="alternate" type="application/atom+xml" title="${escapeMarkup(config.brand)}" href="${FEED_PATH}" />`,
    meta('property', 'og:type', head.article ? 'article' : 'website'),
    meta('property', 'og:site_name', config.brand),
    meta('property', 'og:locale', localeOf(langOf(head))),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:url', canonical),
    meta('property', 'og:image', card.url),
    meta('property', 'og:image:alt', imageAlt || title),
    meta('name', 'twitter:card', 'summary_large_image'),
    meta('name', 'twitter:image:alt', imageAlt || title),
  )
  if (card.sized) {
    tags.push(
      meta('property', 'og:image:width', String(CARD_WIDTH)),
      meta('property', 'og:image:height', String(CARD_HEIGHT)),
    )
  }
  if (head.article) {
    tags.push(
      meta('property', 'article:published_time', head.article.published),
      meta('property', 'article:modified_time', head.article.modified),
    )
  }
  const data = structuredData({ config, publicUrl, head, canonical, description, image: card.url, imageAlt })
  tags.push(`<script type="application/ld+json">${jsonForHtml(data)}</script>`)
  return tags.join('\n    ')
}

/** Keeps only `?page=` from the query, and the language of a page that exists in it. */
function canonicalUrl(url: string, publicUrl: string, head: PageHead): string {
  const { page = 1 } = head
  const path = publicUrl + new URL(url).pathname
  return page > 1 ? `${path}?page=${page}` : inLanguage(path, langOf(head))
}

function inLanguage(path: string, lang: string): string {
  return lang === 'en' ? path : `${path}?lang=${lang}`
}

/** Returns links to all languages of a page. */
function alternates(path: string, { text }: PageHead): string[] {
  const { languages = [] } = text ?? {}
  const alternate = (hreflang: string, lang: string) =>
    `<link rel="alternate" hreflang="${escapeMarkup(hreflang)}" href="${escapeMarkup(inLanguage(path, lang))}" />`
  const links = languages.map(({ tag }) => alternate(tag, tag))
  return links.length === 0 ? [] : [...links, alternate('x-default', 'en')]
}

/** Returns the language as Open Graph writes it. */
function localeOf(lang: string): string {
  if (lang === 'en') return 'en_US'
  const { language, region } = new Intl.Locale(lang).maximize()
  return `${language}_${region}`
}

/** Extends or cuts a summary to the length that search engines show. */
function descriptionOf({ config: { brand } }: RenderInput, head: PageHead): string {
  const { title, description = '', page = 1 } = head
  let text = withBrand(description, brand).replace(/\s+/g, ' ').trim()
  if (text.length < DESCRIPTION_MIN) {
    text = `${withBrand(title, brand)}. ${text} From the ${brand} blog about proctored exams.`.replace(
      / +/g,
      ' ',
    )
  }
  return cut(page > 1 ? `Page ${page}: ${text}` : text, DESCRIPTION_MAX)
}

function meta(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escapeMarkup(content)}" />`
}

function link(rel: string, href: string): string {
  return `<link rel="${rel}" href="${escapeMarkup(href)}" />`
}
