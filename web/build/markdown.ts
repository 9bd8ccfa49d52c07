import { basename } from 'node:path'
import { termsOf } from '@proctorpass/shared/tokenizer'
import { Marked, type Tokens } from 'marked'
import type { Plugin } from 'vite'
import type { Article, ArticleMeta, Heading, QuestionGroup } from '../src/content/markdown.ts'

const META_KEYS = [
  'title',
  'description',
  'h1',
  'published',
  'updated',
  'author',
  'image',
  'imageAlt',
  'summary',
] as const satisfies (keyof ArticleMeta)[]
const OPTIONAL_META_KEYS: readonly string[] = ['onlyFor'] satisfies (keyof ArticleMeta)[]

const TITLE_MAX = 65
const DESCRIPTION_MIN = 50
const DESCRIPTION_MAX = 165

/**
 * Compiles Markdown at build time, so that browsers load no parser.
 *
 * - `x.md?article` is an article with front matter, and `x.md?heading` is only its heading.
 * - `x.md?questions` are `# ` groups of `## ` questions with their answers, for the FAQ.
 */
export function markdown(): Plugin {
  return {
    name: 'markdown',
    enforce: 'pre',
    transform: {
      filter: { id: /\.md\?(article|article-terms|heading|questions|terms)$/ },
      handler(source, id) {
        const [file = '', form] = id.split('?')
        try {
          return { code: `export default ${literal(compile(source, form))}\n`, map: null, moduleType: 'js' }
        } catch (error) {
          return this.error(`${basename(file)}: ${(error as Error).message}`)
        }
      },
    },
  }
}

function compile(
  source: string,
  form: string | undefined,
): Article | QuestionGroup[] | string | PageTerms | (PageTerms & { id: string })[] {
  if (form === 'questions') return compileQuestions(source)
  if (form === 'terms') {
    return compileQuestions(source).flatMap(({ questions }) =>
      questions.map(({ id, question, html }) => ({ id, ...pageTerms(question, html) })),
    )
  }
  const article = compileArticle(source)
  if (form === 'article-terms') {
    const { h1, title, summary, description, onlyFor } = article.meta
    return { ...pageTerms(h1, [title, summary, description, article.html].join('\n')), onlyFor }
  }
  return form === 'heading' ? article.meta.h1 : article
}

function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** What the search reads while a visitor types. `terms` has each term once that the title does not contain. */
export interface PageTerms {
  title: string
  terms: string
  onlyFor?: string
}

function pageTerms(title: string, html: string): PageTerms {
  const known = new Set(termsOf(title))
  const terms = termsOf(plainText(html.replaceAll('<', ' <'))).filter((term) => !known.has(term))
  return { title, terms: terms.sort().join(' ') }
}

export function compileArticle(source: string): Article {
  const parts = /^---\n(.*?)\n---\n(.*)$/s.exec(source.replaceAll('\r\n', '\n'))
  if (!parts) throw new Error('it does not begin with front matter')
  const [, front = '', body = ''] = parts
  const { html, headings } = toHtml(body)
  return { meta: readMeta(front), headings, html }
}

export function compileQuestions(source: string): QuestionGroup[] {
  const ids = new Ids()
  const groups: QuestionGroup[] = []
  for (const part of source.replaceAll('\r\n', '\n').split(/^(?=##? )/m)) {
    const [, marks = '', heading = '', text = ''] = /^(##?) ([^\n]*)\n?(.*)$/s.exec(part) ?? []
    if (marks === '#') {
      if (text.trim() !== '') throw new Error(`text between "${heading}" and its first question`)
      groups.push({ title: heading.trim(), id: ids.of(heading), questions: [] })
    } else if (marks === '##') {
      const group = groups.at(-1)
      if (!group) throw new Error(`"${heading}" is in no group`)
      if (text.trim() === '') throw new Error(`"${heading}" has no answer`)
      group.questions.push({ question: heading.trim(), id: ids.of(heading), html: toHtml(text).html })
    } else if (part.trim() !== '') {
      throw new Error('it begins with text that is in no group')
    }
  }
  return groups
}

/** Reads `key: value` lines. A value that contains a colon or quotes is a JSON string. */
function readMeta(front: string): ArticleMeta {
  const meta: Record<string, string> = {}
  for (const line of front.split('\n')) {
    const [, key = '', value = ''] = /^(\w+): (.+)$/.exec(line) ?? []
    if (![...META_KEYS, ...OPTIONAL_META_KEYS].includes(key))
      throw new Error(`front matter cannot have the line "${line}"`)
    meta[key] = value.startsWith('"') ? JSON.parse(value) : value.trim()
  }
  const missing = META_KEYS.filter((key) => !meta[key])
  if (missing.length > 0) throw new Error(`front matter lacks ${missing.join(', ')}`)

  const { title = '', description = '', published = '', updated = '' } = meta
  if (title.length > TITLE_MAX) throw new Error(`the title is longer than ${TITLE_MAX} characters`)
  if (description.length < DESCRIPTION_MIN || description.length > DESCRIPTION_MAX) {
    throw new Error(`the description has ${description.length} characters, not 50 to 165`)
  }
  for (const day of [published, updated]) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) {
      throw new Error(`"${day}" is not a day such as 2026-11-20`)
    }
  }
  if (updated < published) throw new Error('it was updated before it was published')
  return meta as unknown as ArticleMeta
}

/**
 * Compiles GitHub's Markdown without HTML, images, and check boxes. Content that needs more is a page, not an article.
 */
function toHtml(source: string): { html: string; headings: Heading[] } {
  const ids = new Ids()
  const headings: Heading[] = []
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      html({ text }) {
        throw new Error(`HTML is not allowed: ${text.trim()}`)
      },
      image({ text }) {
        throw new Error(`an image is not allowed in the text: ${text}`)
      },
      checkbox() {
        throw new Error('a check box is not allowed in the text')
      },
      heading({ tokens, depth }) {
        if (depth === 1) throw new Error('the page has one h1 already: begin with ##')
        const html = this.parser.parseInline(tokens)
        const text = plainText(html)
        const id = ids.of(text)
        if (depth === 2) headings.push({ id, text })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      link({ href, title, tokens }) {
        const label = this.parser.parseInline(tokens)
        const named = title ? ` title="${escapeHtml(title)}"` : ''
        return `<a href="${escapeHtml(checkedHref(href))}"${named}${relOf(href)}>${label}</a>`
      },
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[]) => row.map(({ tokens }) => this.parser.parseInline(tokens))
        const head = cells(header)
        const body = rows.map(
          (row) =>
            `<tr>${cells(row)
              .map((cell) => `<td>${cell}</td>`)
              .join('')}</tr>`,
        )
        const label = `Table: ${plainText(head.join(', '))}`
        return `<div class="table" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table><thead><tr>${head
          .map((cell) => `<th scope="col">${cell}</th>`)
          .join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>\n`
      },
    },
  })
  return { html: marked.parse(source, { async: false }).trim(), headings }
}

function checkedHref(href: string): string {
  if (!/^(https:\/\/|mailto:|#|\/(?![/\\]))/.test(href)) throw new Error(`a link cannot lead to "${href}"`)
  return href
}

function relOf(href: string): string {
  return href.startsWith('https:') ? ' rel="external noopener noreferrer"' : ''
}

/** Makes unique IDs from headings. */
class Ids {
  readonly #given = new Set<string>()

  of(text: string): string {
    const words = plainText(text)
      .normalize('NFKD')
      .toLowerCase()
      .replace(/['’]/g, '')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
    let id = words
    for (let n = 2; this.#given.has(id); n += 1) id = `${words}-${n}`
    this.#given.add(id)
    return id
  }
}

function plainText(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
