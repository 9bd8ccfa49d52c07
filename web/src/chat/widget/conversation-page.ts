import { linkify } from '@proctorpass/shared/linkify'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import { withBrand } from '../../content/with-brand.ts'
import type { Words } from '../language/language.ts'

interface PageLanguage {
  tag: string
  locale: string
  words: Pick<Words, 'later' | 'view' | 'launcher'>
}

/** The policy under which the page loads nothing and runs nothing, even if a message contains HTML. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
dd { margin: 0 }
ol { padding: 0; list-style: none }
ol > li { margin: 1rem 0; padding-top: 1rem; border-top: 1px solid GrayText }
h2 { display: inline; margin-inline-end: .5rem; font-size: 1rem }
p, dd { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
`

/**
 * Returns a conversation as one HTML file to read and print. It is built as a document, so that each text in it stays
 * text.
 */
export function conversationPage(file: ConversationExport, { tag, locale, words }: PageLanguage): string {
  const { later, view, launcher } = words
  const page = document.implementation.createHTMLDocument(withBrand(later.pageTitle, file.site))
  page.documentElement.lang = tag
  page.documentElement.dir = launcher.dir
  const add = (parent: Element, name: string, text = '', attributes: Record<string, string> = {}) => {
    const element = page.createElement(name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    element.textContent = text
    parent.append(element)
    return element
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
  add(body, 'p', later.pageTimes(timeText(file.exportedAt), timeZone))
  const { name, email, examAt } = file.profile
  const said = [
    [later.name, name],
    [later.email, email],
    [later.exam, examAt && timeText(examAt)],
    ...file.ratings.map(({ score, words }) => [
      later.rating,
      [`${score}: ${later.scores[score - 1]}`, words].filter(Boolean).join('\n'),
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
    if (text !== '') {
      const shown = add(row, 'p', '', { dir: 'auto' })
      for (const part of linkify(text)) {
        if (typeof part === 'string') shown.append(part)
        else add(shown, 'a', part.text, { href: part.href, rel: 'noopener noreferrer nofollow ugc' })
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
