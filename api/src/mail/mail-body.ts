/** A part of a mail: a paragraph, a link, or words of a sender. */
export type MailBlock = string | { label: string; url: string } | { heading: string; words: string } | null

export interface MailBody {
  text: string
  html: string
}

/** The same as text and as HTML, without anything that a mail program would load. Null blocks are left out. */
export function mailBody(blocks: readonly MailBlock[]): MailBody {
  const shown = blocks.filter((block) => block !== null)
  return {
    text: `${shown.map(textOf).join('\n\n')}\n`,
    html: [
      '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
      '<meta name="color-scheme" content="light dark"></head>',
      '<body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">',
      ...shown.map(htmlOf),
      '</body></html>',
    ].join('\n'),
  }
}

function textOf(block: NonNullable<MailBlock>): string {
  if (typeof block === 'string') return block
  if ('url' in block) return `${block.label}:\n${block.url}`
  const quoted = block.words.split('\n').map((line) => `> ${line}`.trimEnd())
  return `${block.heading}\n${quoted.join('\n')}`
}

function htmlOf(block: NonNullable<MailBlock>): string {
  if (typeof block === 'string') return `<p>${escaped(block)}</p>`
  if ('url' in block) return `<p><a href="${escaped(block.url)}">${escaped(block.label)}</a></p>`
  return [
    `<p style="margin-bottom: 0"><strong>${escaped(block.heading)}</strong></p>`,
    '<blockquote dir="auto" style="margin: 0 0 1em; padding-left: 1em; border-left: 3px solid #888">',
    `${escaped(block.words)}</blockquote>`,
  ].join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\n': '<br>\n',
}

function escaped(text: string): string {
  return text.replace(/[&<>"'\n]/g, (character) => ENTITIES[character] ?? character)
}
