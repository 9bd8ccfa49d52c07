import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import { HeadingIds } from '@proctorpass/shared/heading-ids'
import type { CompiledTexts, ShippedQuestion } from '@proctorpass/shared/shipped-texts'
import { Marked, type Tokens } from 'marked'
import * as pages from '../../shared/texts/pages.ts'

const SOURCES = join(import.meta.dirname, '../../shared/texts')

const TITLE_MAX = 65
const DESCRIPTION_MIN = 50
const DESCRIPTION_MAX = 165

const PAGE_KEYS = ['title', 'description', 'heading', 'lead'] as const
const ARTICLE_KEYS = ['title', 'description', 'h1', 'summary', 'author', 'image', 'imageAlt'] as const
const DAYS = ['published', 'updated'] as const

/**
 * Compiles the shipped texts to the HTML of posts. The build of the server calls this, and so do development and tests,
 * so that the server that runs needs no parser. Throws an error that names the file.
 */
export function compileTexts(): CompiledTexts {
  const { questions, fields: faq } = inFile('faq.md', compileQuestions)
  const { home, blogs, reviews, contact } = pages
  const [privacy, terms] = [inFile('privacy.md', compilePage), inFile('terms.md', compilePage)]
  const texts = { home, faq, blogs, reviews, contact, privacy, terms }
  for (const [key, text] of Object.entries(texts)) checkHead(text, key)
  const articles = readdirSync(join(SOURCES, 'articles')).map(
    (name) => [basename(name, '.md'), inFile(`articles/${name}`, compileArticle)] as const,
  )
  return { pages: texts, articles: Object.fromEntries(articles), questions }
}

function inFile<T>(name: string, compile: (source: string) => T): T {
  try {
    return compile(readFileSync(join(SOURCES, name), 'utf8').replaceAll('\r\n', '\n'))
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}

export function compileArticle(source: string): CompiledTexts['articles'][string] {
  const { meta, body } = parted(source, [...ARTICLE_KEYS, ...DAYS], ['onlyFor'])
  const { published, updated, onlyFor, ...texts } = meta
  checkHead(texts)
  for (const day of [published, updated]) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) {
      throw new Error(`"${day}" is not a day such as 2026-11-20`)
    }
  }
  if (updated < published) throw new Error('it was updated before it was published')
  const fields = { ...texts, image: `/images/posts/${meta.image}.svg`, content: toHtml(body) }
  return { published, updated, ...(onlyFor !== undefined && { onlyFor }), fields }
}

export function compilePage(source: string): TextFieldsByKind['privacy'] {
  const { meta, body } = parted(source, PAGE_KEYS)
  return { ...meta, content: toHtml(body) }
}

export function compileQuestions(source: string) {
  const { meta, body } = parted(source, PAGE_KEYS)
  const ids = new HeadingIds()
  const groups: { id: string; title: string }[] = []
  const questions: ShippedQuestion[] = []
  for (const part of body.split(/^(?=##? )/m)) {
    const [, marks = '', heading = '', text = ''] = /^(##?) ([^\n]*)\n?(.*)$/s.exec(part) ?? []
    if (marks === '#') {
      if (text.trim() !== '') throw new Error(`text between "${heading}" and its first question`)
      groups.push({ id: ids.of(heading), title: heading.trim() })
    } else if (marks === '##') {
      const group = groups.at(-1)
      if (!group) throw new Error(`"${heading}" is in no group`)
      if (text.trim() === '') throw new Error(`"${heading}" has no answer`)
      questions.push({
        ...{ _id: ids.of(heading), group: group.id },
        ...{ question: heading.trim(), answer: toHtml(text) },
      })
    } else if (part.trim() !== '') {
      throw new Error('it begins with text that is in no group')
    }
  }
  return { fields: { ...meta, groups }, questions }
}

/** Reads the front matter: `key: value` lines. A value that contains a colon or quotes is a JSON string. */
function parted<Key extends string, Other extends string = never>(
  source: string,
  keys: readonly Key[],
  optional: readonly Other[] = [],
) {
  const parts = /^---\n(.*?)\n---\n(.*)$/s.exec(source)
  if (!parts) throw new Error('it does not begin with front matter')
  const [, front = '', body = ''] = parts
  const meta: Record<string, string> = {}
  for (const line of front.split('\n')) {
    const [, key = '', value = ''] = /^(\w+): (.+)$/.exec(line) ?? []
    if (![...keys, ...optional].some((known) => known === key))
      throw new Error(`front matter cannot have the line "${line}"`)
    meta[key] = value.startsWith('"') ? JSON.parse(value) : value.trim()
  }
  const missing = keys.filter((key) => !meta[key])
  if (missing.length > 0) throw new Error(`front matter lacks ${missing.join(', ')}`)
  return { meta: meta as Record<Key, string> & Partial<Record<Other, string>>, body }
}

/** Checks what search engines would cut. */
function checkHead({ title, description }: Record<'title' | 'description', string>, key = ''): void {
  const where = key === '' ? '' : `${key}: `
  if (title.length > TITLE_MAX) throw new Error(`${where}the title is longer than ${TITLE_MAX} characters`)
  const { length } = description
  if (length < DESCRIPTION_MIN || length > DESCRIPTION_MAX) {
    throw new Error(`${where}the description has ${length} characters, not 50 to 165`)
  }
}

/**
 * Compiles GitHub's Markdown without HTML, images, and check boxes. The headings' IDs and the tables' frames are added
 * when a text is shown.
 */
function toHtml(source: string): string {
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
      hr() {
        throw new Error('a line is not allowed in the text')
      },
      heading({ tokens, depth }) {
        if (depth === 1) throw new Error('the page has one h1 already: begin with ##')
        return `<h${depth}>${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      text(token) {
        // Posts keep quotation marks as they are.
        if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens)
        return escapeText(token.text)
      },
      codespan: ({ text }) => `<code>${escapeText(text)}</code>`,
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens)
        return `<a href="${escapeHtml(checkedHref(href))}"${relOf(href)}>${label}</a>`
      },
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[]) => row.map(({ tokens }) => this.parser.parseInline(tokens))
        const head = cells(header).map((cell) => `<th scope="col">${cell}</th>`)
        const body = rows.map(
          (row) =>
            `<tr>${cells(row)
              .map((cell) => `<td>${cell}</td>`)
              .join('')}</tr>`,
        )
        return `<table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>\n`
      },
    },
  })
  return marked.parse(source, { async: false }).trim()
}

function checkedHref(href: string): string {
  if (!/^(https:\/\/|mailto:|#|\/(?![/\\]))/.test(href)) throw new Error(`a link cannot lead to "${href}"`)
  return href
}

function relOf(href: string): string {
  return href.startsWith('https:') ? ' rel="noopener noreferrer nofollow ugc"' : ''
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeHtml(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;')
}
