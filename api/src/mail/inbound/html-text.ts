import { Parser } from 'htmlparser2'

/** Not text, or not shown. */
const LEFT_OUT = new Set(['script', 'style', 'head', 'title', 'template', 'noscript', 'object', 'svg'])
const VOID = new Set([
  'br',
  'hr',
  'img',
  'input',
  'meta',
  'link',
  'area',
  'base',
  'col',
  'embed',
  'source',
  'wbr',
])
const BLOCKS = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'div', 'dl', 'dd', 'dt', 'footer', 'form', 'header', 'li'],
  ...['main', 'nav', 'ol', 'p', 'pre', 'section', 'table', 'tr', 'ul', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
])
/** Blocks with an empty line around them. */
const PARAGRAPHS = new Set([
  'p',
  'blockquote',
  'ul',
  'ol',
  'table',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])
const HIDDEN_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/** What a reader sees of HTML, as text: without scripts, styles and hidden words. Quotes have `> ` before each line. */
export function htmlText(html: string): string {
  const lines: string[] = []
  let line = ''
  let quotes = 0
  let hidden = 0
  let pre = 0
  /** For each open element, whether it hides. */
  const open: { name: string; hides: boolean }[] = []

  function endLine(isParagraph = false): void {
    const quote = '> '.repeat(Math.min(quotes, 5))
    if (line.trim() !== '') lines.push(quote + line.trim())
    line = ''
    const last = lines.at(-1)
    if (isParagraph && last !== undefined && last !== '' && last !== quote.trim()) lines.push(quote.trim())
  }

  const parser = new Parser(
    {
      onopentag(name, { hidden: isHidden, style, href }) {
        const hides = LEFT_OUT.has(name) || isHidden !== undefined || HIDDEN_STYLE.test(style ?? '')
        if (!VOID.has(name)) open.push({ name, hides })
        if (!VOID.has(name) && hides) hidden += 1
        if (hidden > 0 || hides) return
        if (BLOCKS.has(name)) endLine(PARAGRAPHS.has(name))
        if (name === 'blockquote') quotes += 1
        if (name === 'pre') pre += 1
        if (name === 'br' || name === 'hr') {
          if (line.trim() === '' && name === 'br') lines.push('> '.repeat(Math.min(quotes, 5)).trim())
          endLine()
        }
        if (name === 'li') line = '- '
        // An address that is not the text of its link follows it.
        if (name === 'a' && /^https?:/i.test(href ?? '')) links.push({ href: href ?? '', from: line.length })
      },
      ontext(text) {
        if (hidden > 0) return
        if (pre > 0) {
          const [first = '', ...rest] = text.split('\n')
          line += first
          for (const next of rest) {
            endLine()
            line = next
          }
          return
        }
        const words = text.replace(/\s+/g, ' ')
        line += line === '' || line.endsWith(' ') ? words.replace(/^ /, '') : words
      },
      onclosetag(name) {
        if (VOID.has(name)) return
        const closed = open.pop()
        if (closed?.hides) hidden -= 1
        if (hidden > 0 || closed?.hides) return
        if (name === 'a') {
          const link = links.pop()
          const shown = line.slice(link?.from).trim()
          if (link !== undefined && shown !== '' && shown !== link.href)
            line += ` (${link.href.slice(0, 500)})`
        }
        if (BLOCKS.has(name)) endLine(PARAGRAPHS.has(name))
        if (name === 'blockquote') quotes = Math.max(0, quotes - 1)
        if (name === 'pre') pre = Math.max(0, pre - 1)
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  const links: { href: string; from: number }[] = []
  parser.end(html)
  endLine()
  return lines.join('\n').trim()
}
