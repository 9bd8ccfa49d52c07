import { HeadingIds } from './heading-ids.ts'

export interface Heading {
  id: string
  text: string
}

/** HTML as a page shows it, and its second-level headings. */
export interface ShownHtml {
  html: string
  headings: Heading[]
}

/** A second-level heading with all that follows it. Without an ID, it is what precedes the first heading. */
export interface Section {
  id: string | null
  html: string
}

/** A table is named by at most this much of its first row. */
const FIRST_ROW_MAX = 1_000

/** Matches a tag of cleaned HTML, whose attributes contain no angle brackets. */
const TAG = /<(\/?)([a-z]+[1-6]?)\b[^<>]*>/g
const HEADING = /^h[1-6]$/
/** Cleaned HTML closes each element except these. */
const VOID = /^(?:br|img)$/
/** What the cleaning of posts writes into links to other sites. */
const POST_REL = 'rel="noopener noreferrer nofollow ugc"'
/** Unlike the authors of posts, the operator vouches for the links in the website's own texts. */
const TEXT_REL = 'rel="external noopener noreferrer"'

/**
 * Adds what a page needs to the cleaned HTML of a text: the headings' IDs, the frames in which wide tables scroll, and
 * the links' `rel`. `ids` has those that the page has given already.
 */
export function shownHtml(clean: string, ids = new HeadingIds()): ShownHtml {
  const headings: Heading[] = []
  let html = ''
  for (const { text, heading } of partsOf(clean, ids)) {
    html += text
    if (heading?.depth === 2) headings.push({ id: heading.id, text: heading.text })
  }
  return { html, headings }
}

/** Splits a text before its second-level headings, and puts what is no heading into blocks of running text. */
export function sectionsOf(clean: string): Section[] {
  const sections: Section[] = []
  let prose = ''
  const endProse = () => {
    if (prose.trim() === '') return
    const last = sections.at(-1) ?? sections[sections.push({ id: null, html: '' }) - 1]
    if (last) last.html += `<div class="prose">${prose.trim()}</div>`
    prose = ''
  }
  for (const { text, heading, isOutside } of partsOf(clean, new HeadingIds())) {
    if (!heading || !isOutside || heading.depth === 1 || heading.depth > 3) {
      prose += text
      continue
    }
    endProse()
    prose = ''
    const last = sections.at(-1)
    if (heading.depth === 2 || !last) sections.push({ id: heading.id, html: text })
    else last.html += text
  }
  endProse()
  return sections
}

interface Part {
  /** HTML, which is a whole heading if `heading` is there. */
  text: string
  heading?: Heading & { depth: number }
  /** Whether no element contains it. */
  isOutside: boolean
}

/** Returns the shown HTML as headings and what is between them, in one pass. */
function partsOf(clean: string, ids: HeadingIds): Part[] {
  const parts: Part[] = []
  let depth = 0
  /** The open heading, and where its content begins. */
  let open: { name: string; content: number; attributes: string; depth: number } | null = null
  let from = 0
  for (const { 0: tag, 1: end, 2: name = '', index } of clean.matchAll(TAG)) {
    if (VOID.test(name)) continue
    const after = index + tag.length
    if (end === '/') {
      depth -= 1
      if (open?.name !== name || open.depth !== depth) continue
      const content = clean.slice(open.content, index)
      const text = plainText(content)
      const heading = { id: ids.of(text), text, depth: Number(name[1]) }
      const shown = `<${name} id="${heading.id}"${open.attributes}>${framed(content)}</${name}>`
      parts.push({ text: shown, heading, isOutside: depth === 0 })
      from = after
      open = null
    } else {
      if (HEADING.test(name) && open === null) {
        if (index > from) parts.push({ text: framed(clean.slice(from, index)), isOutside: false })
        from = index
        const attributes = tag.slice(1 + name.length, -1)
        open = { name, content: after, attributes, depth }
      }
      depth += 1
    }
  }
  if (clean.length > from) parts.push({ text: framed(clean.slice(from)), isOutside: false })
  return parts
}

/** Puts each table into a frame that scrolls, because screen readers would not treat a scrolling table as a table. */
function framed(html: string): string {
  return (
    html
      .replace(/<table\b[^<>]*>/g, (table, index: number) => {
        const [row = ''] = html.slice(index, index + FIRST_ROW_MAX).split('</tr>', 1)
        const names = /<th[ >]/.test(row) ? row.split(/<t[hd]\b[^<>]*>/).slice(1) : []
        const label = ['Table', names.map((cell) => plainText(cell).trim()).join(', ')].filter(Boolean)
        const named = attribute(label.join(': '))
        return `<div class="table" role="region" aria-label="${named}" tabindex="0">${table}`
      })
      .replaceAll('</table>', '</table></div>')
      .replaceAll(POST_REL, TEXT_REL)
      // The Content-Security-Policy refuses style attributes, so a script sets the colors.
      .replaceAll('<span style="', '<span data-style="')
  )
}

/** Returns the text of cleaned HTML, which escapes nothing but these characters. */
export function plainText(html: string): string {
  return html
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

function attribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
