import { type Inline, parseFormatted } from '@proctorpass/shared/formatted-text'
import { linkify } from '@proctorpass/shared/linkify'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import { withBrand } from '../../content/with-brand.ts'
import { fill } from '../language/fill.ts'
import type { Words } from '../language/words.ts'

interface PageLanguage {
  tag: string
  locale: string
  dir: string
  words: Pick<Words, 'later' | 'view'>
}

/** The policy under which the page loads nothing and runs nothing, even if a message contains HTML. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
dd { margin: 0 }
body > ol { padding: 0; list-style: none }
body > ol > li { margin: 1rem 0; padding-top: 1rem; border-top: 1px solid GrayText }
h2 { display: inline; margin-inline-end: .5rem; font-size: 1rem }
p, dd, div { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
div > * { margin: 0 }
.list { padding-inline-start: 1.5em }
`

const ELEMENTS = { bold: 'strong', italic: 'em', link: 'a' }

/** A visitor's text is only linked. */
const linked = (text: string): Inline[] =>
  linkify(text).map((part) =>
    typeof part === 'string' ? part : { kind: 'link', href: part.href, children: [part.text] },
  )

/**
 * Returns a conversation as one HTML file to read and print. It is built as a document, so that each text in it stays
 * text.
 */
export function conversationPage(
  file: ConversationExport,
  { tag, locale, dir, words }: PageLanguage,
): string {
  const { later, view } = words
  const page = document.implementation.createHTMLDocument(withBrand(later.pageTitle, file.site))
  page.documentElement.lang = tag
  page.documentElement.dir = dir
  const add = (parent: Element, name: string, text = '', attributes: Record<string, string> = {}) => {
    const element = page.createElement(name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    element.textContent = text
    parent.append(element)
    return element
  }
  const addParts = (parent: Element, parts: readonly Inline[]): void => {
    for (const part of parts) {
      if (typeof part === 'string') parent.append(part)
      else if (part.kind === 'code') add(parent, 'code', part.text)
      else {
        const attributes: Record<string, string> =
          part.kind === 'link' ? { href: part.href, rel: 'noopener noreferrer nofollow ugc' } : {}
        addParts(add(parent, ELEMENTS[part.kind], '', attributes), part.children)
      }
    }
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const timeText = (time: string) =>
    new Date(time).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short', timeZone })

  const { head, body } = page
  head.prepend(
    add(head, 'meta', '', { charset: 'utf-8' }),
    add(head, 'meta', '', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    add(head, 'meta', '', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
  )

  add(body, 'h1', page.title)
  add(body, 'p', fill(later.pageTimes, { time: timeText(file.exportedAt), zone: timeZone }))
  const { name, email, examAt } = file.profile
  const said = [
    [later.name, name],
    [later.email, email],
    [later.exam, examAt && timeText(examAt)],
    ...file.ratings.map(({ score, words }) => [
      later.rating,
      [`${score}: ${later[`scores.${score as 1}`]}`, words].filter(Boolean).join('\n'),
    ]),
  ].filter((row): row is [string, string] => Boolean(row[1]))
  if (said.length > 0) {
    const list = add(body, 'dl')
    for (const [term, text] of said) {
      add(list, 'dt', term)
      add(list, 'dd', text, { dir: 'auto' })
    }
  }
  const messages = add(body, 'ol')
  for (const { at, from, text, attachments = [] } of file.messages) {
    const row = add(messages, 'li')
    add(row, 'h2', from === 'you' ? view.you : from, { dir: 'auto' })
    add(row, 'time', timeText(at), { datetime: at })
    if (text !== '' && from === 'you') addParts(add(row, 'p', '', { dir: 'auto' }), linked(text))
    else if (text !== '') {
      const shown = add(row, 'div', '', { dir: 'auto' })
      for (const block of parseFormatted(text)) {
        if (block.kind === 'text') {
          const lines = add(shown, 'p')
          for (const line of block.lines) addParts(lines, [...line, '\n'])
        } else {
          const start: Record<string, string> = block.first === null ? {} : { start: String(block.first) }
          const list = add(shown, block.first === null ? 'ul' : 'ol', '', { class: 'list', ...start })
          for (const item of block.items) addParts(add(list, 'li'), item)
        }
      }
    }
    if (attachments.length === 0) continue
    const files = add(row, 'ul')
    for (const attachment of attachments) add(files, 'li', attachment, { dir: 'auto' })
  }
  // The style is added as text, because this page's policy refuses a style element, even in another document.
  const html = page.documentElement.outerHTML.replace('</head>', `<style>${STYLE}</style></head>`)
  return `<!doctype html>\n${html}\n`
}
