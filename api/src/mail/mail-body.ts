import { type Inline, parseFormatted } from '@proctorpass/shared/formatted-text'

/** A text in which each `{name}` stands for one of the values. */
interface Sentence {
  words: string
  values?: Readonly<Record<string, string | number>>
}
/** An admin's message as typed, and a line for each of its files, which has no marks. */
export interface Quote {
  message: string
  files: readonly string[]
}
/** A mail's block: a paragraph, its lines, a link, or one person's messages. */
export type MailBlock =
  | Sentence
  | { lines: readonly string[] }
  | { label: string; url: string }
  | { heading: Sentence; quotes: readonly Quote[] }
  | null

export interface MailBody {
  text: string
  html: string
}

/**
 * Renders the same blocks as text and as HTML, without anything that a mail program would load. Null blocks are left
 * out.
 */
export function mailBody(
  blocks: readonly MailBlock[],
  { lang, dir }: { lang: string; dir: 'ltr' | 'rtl' },
): MailBody {
  const shown = blocks.filter((block) => block !== null)
  return {
    text: `${shown.map(textOf).join('\n\n')}\n`,
    html: [
      `<!DOCTYPE html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8">`,
      '<meta name="color-scheme" content="light dark"></head>',
      '<body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">',
      ...shown.map(htmlOf),
      '</body></html>',
    ].join('\n'),
  }
}

/** Fills a text's places as plain text, which also suits a subject. */
export function filled({ words, values = {} }: Sentence): string {
  return words.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
}

/** Fills a text's places as HTML. A value has the direction of its own script, not of the surrounding text. */
function markup({ words, values = {} }: Sentence): string {
  return escaped(words).replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    return value === undefined ? place : `<bdi>${escaped(String(value))}</bdi>`
  })
}

function textOf(block: NonNullable<MailBlock>): string {
  if ('words' in block) return filled(block)
  if ('lines' in block) return block.lines.join('\n')
  if ('url' in block) return `${block.label}:\n${block.url}`
  return `${filled(block.heading)}\n${block.quotes.map(quoteText).join('\n\n')}`
}

function quoteText({ message, files }: Quote): string {
  const lines = [...(message === '' ? [] : message.split('\n')), ...files].map((line) =>
    `> ${line}`.trimEnd(),
  )
  return lines.join('\n')
}

function htmlOf(block: NonNullable<MailBlock>): string {
  if ('words' in block) return `<p>${markup(block)}</p>`
  if ('lines' in block) return `<p>${block.lines.map(escaped).join('<br>\n')}</p>`
  if ('url' in block) return `<p><a href="${escaped(block.url)}">${escaped(block.label)}</a></p>`
  return [
    `<p style="margin-bottom: 0"><strong>${markup(block.heading)}</strong></p>`,
    ...block.quotes.map(quoteHtml),
  ].join('')
}

function quoteHtml({ message, files }: Quote): string {
  return [
    '<blockquote style="margin: 0 0 1em; padding-inline-start: 1em; border-inline-start: 3px solid #888; white-space: pre-wrap">',
    ...(message === '' ? [] : parseFormatted(message)).flatMap((block) => {
      // Each line gets its own direction, because a person may write in two scripts.
      if (block.kind === 'text')
        return block.lines.map((line) => `<div dir="auto">${formatted(line) || '<br>'}</div>`)
      const items = block.items.map((item) => `<li>${formatted(item)}</li>`).join('')
      const style = 'style="margin: 0; padding-inline-start: 1.5em"'
      return block.first === null
        ? `<ul dir="auto" ${style}>${items}</ul>`
        : `<ol dir="auto" start="${block.first}" ${style}>${items}</ol>`
    }),
    ...files.map((file) => `<div dir="auto">${escaped(file)}</div>`),
    '</blockquote>',
  ].join('')
}

/** Links the same texts as the chat does, because mail programs find links by rules of their own, and cut some. */
function formatted(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return escaped(part)
      if (part.kind === 'code') return `<code>${escaped(part.text)}</code>`
      const words = formatted(part.children)
      if (part.kind === 'bold') return `<strong>${words}</strong>`
      return part.kind === 'italic' ? `<em>${words}</em>` : `<a href="${escaped(part.href)}">${words}</a>`
    })
    .join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
