import { formatsOf, type Line, listTag } from './lines.ts'
import { cellOf, type PlacedCell, rowsOf } from './table-cells.ts'
import { imageAddress } from './uploaded-images.ts'

/**
 * Writes lines as the HTML in which posts are stored. Unlike Quill's own `getSemanticHTML`, it escapes every text and
 * every value.
 *
 * @see docs/decisions/0098-what-the-editor-keeps.md
 */
export function writeLines(lines: readonly Line[]): string {
  let html = ''
  for (let at = 0; at < lines.length; ) {
    let end = at + 1
    const table = cellOf(lines[at])?.table
    const isSame = (line: Line = []) =>
      ['list', 'code-block'].some((kind) => formatsOf(line)[kind] && formatsOf(lines[at] ?? [])[kind])
    while (table === undefined ? isSame(lines[end]) : cellOf(lines[end])?.table === table) end++
    html += writeGroup(lines.slice(at, end))
    at = end
  }
  return html
}

/** Writes one line, or the lines of one list, table, or code block. */
function writeGroup(lines: readonly Line[]): string {
  const [line = []] = lines
  const formats = formatsOf(line)
  if (cellOf(line)) return writeTable(lines)
  if (formats['code-block']) return `<pre>\n${escapeHtml(lines.map(textOf).join('\n'))}\n</pre>`
  if (formats.list) return writeList(lines)
  const { insert } = line[0] ?? {}
  if (typeof insert === 'object' && typeof insert.kept === 'string') return insert.kept
  if (typeof insert === 'object' && typeof insert.video === 'string') {
    return `<iframe${classes(formats, 'ql-video')} src="${escapeHtml(insert.video)}"></iframe>`
  }
  // A mark for something that was left out is not part of the post.
  if (line.length > 1 && line.slice(0, -1).every(isMark)) return ''
  const tag = formats.header ? `h${formats.header}` : formats.blockquote ? 'blockquote' : 'p'
  return `<${tag}${classes(formats)}>${writeInline(line)}</${tag}>`
}

function textOf(line: Line): string {
  return line.map(({ insert }) => (typeof insert === 'string' && insert !== '\n' ? insert : '')).join('')
}

function isMark({ insert }: Line[number]): boolean {
  return typeof insert === 'object' && 'left-out' in insert
}

function writeList(lines: readonly Line[]): string {
  let html = ''
  /** The open lists with their items' level, outermost first. */
  const open: { tag: 'ol' | 'ul'; level: number }[] = []
  const close = () => {
    html += `</li></${open.pop()?.tag}>`
  }
  for (const line of lines) {
    const { list, indent, ...formats } = formatsOf(line)
    const tag = listTag(list)
    const level = Number(indent ?? 0)
    while (open.length > 1 && (open.at(-1)?.level ?? 0) > level) close()
    // The first item may have been deeper than later items.
    if (open[0] && open[0].level > level) open[0].level = level
    if (open.at(-1)?.level === level && open.at(-1)?.tag !== tag) close()
    if (open.at(-1)?.level === level) html += '</li>'
    else {
      html += `<${tag}>`
      open.push({ tag, level })
    }
    // An item may be more than one level deeper than the previous item.
    const missing = level + 1 - open.length
    const mark = list === 'checked' || list === 'unchecked' ? ` data-list="${list}"` : ''
    html += `<li${mark}${classes({ ...formats, indent: missing })}>${writeInline(line)}`
  }
  while (open.length > 0) close()
  return html
}

function writeTable(lines: readonly Line[]): string {
  const rows = rowsOf(lines)
  const body = rows.findIndex(([cell]) => !cell?.isHead)
  const head = body < 0 ? rows : rows.slice(0, body)
  const rest = body < 0 ? [] : rows.slice(body)
  const section = (name: string, part: typeof rows) =>
    part.length === 0
      ? ''
      : `<${name}>${part.map((row) => `<tr>${row.map(writeCell).join('')}</tr>`).join('')}</${name}>`
  return `<table>${section('thead', head)}${section('tbody', rest)}</table>`
}

function writeCell({ line, tag, scope, colspan, rowspan }: PlacedCell): string {
  const attributes = [
    classes(formatsOf(line)),
    scope === '' ? '' : ` scope="${escapeHtml(scope)}"`,
    colspan > 1 ? ` colspan="${colspan}"` : '',
    rowspan > 1 ? ` rowspan="${rowspan}"` : '',
  ]
  return `<${tag}${attributes.join('')}>${writeInline(line)}</${tag}>`
}

function classes({ align, indent, direction }: Record<string, unknown>, ...others: string[]): string {
  const names = [
    ...others,
    ...(align ? [`ql-align-${align}`] : []),
    ...(indent ? [`ql-indent-${indent}`] : []),
    ...(direction ? [`ql-direction-${direction}`] : []),
  ]
  return names.length === 0 ? '' : ` class="${escapeHtml(names.join(' '))}"`
}

/** Text formats and their elements, outermost first. */
const ELEMENTS: [format: string, tag: (value: unknown) => string][] = [
  ['bold', () => 'strong'],
  ['italic', () => 'em'],
  ['underline', () => 'u'],
  ['strike', () => 's'],
  ['script', (value) => (value === 'sub' ? 'sub' : 'sup')],
  ['code', () => 'code'],
]

/** Writes a line without its line break. Elements that continue from one part to the next are joined. */
export function writeInline(line: Line): string {
  let html = ''
  let open: string[] = []
  const close = (to: number) => {
    for (const start of open.slice(to).reverse()) html += `</${/^\w+/.exec(start)?.[0]}>`
  }
  for (const { insert, attributes = {} } of line) {
    if (insert === '\n') continue
    const content = typeof insert === 'string' ? escapeHtml(insert) : writeEmbed(insert ?? {}, attributes)
    if (content === '') continue
    const wanted = elementsOf(attributes)
    let shared = 0
    while (shared < open.length && open[shared] === wanted[shared]) shared++
    close(shared)
    html += wanted
      .slice(shared)
      .map((start) => `<${start}>`)
      .join('')
    open = wanted
    html += content
  }
  close(0)
  return html
}

/** Returns the content of the start tags around text with these formats, outermost first. */
function elementsOf(attributes: Record<string, unknown>): string[] {
  const { link, color, background, font, size } = attributes
  const names = Object.entries({ color, bg: background, font, size })
    .filter(([, value]) => value)
    .map(([kind, value]) => `ql-${kind}-${value}`)
  return [
    ...(link ? [`a href="${escapeHtml(String(link))}"`] : []),
    ...(names.length > 0 ? [`span class="${escapeHtml(names.join(' '))}"`] : []),
    ...ELEMENTS.filter(([format]) => attributes[format]).map(([format, tag]) => tag(attributes[format])),
  ]
}

function writeEmbed(embed: Record<string, unknown>, attributes: Record<string, unknown>): string {
  if ('soft-break' in embed) return '<br>'
  const src = typeof embed.image === 'string' ? imageAddress(embed.image) : null
  if (src === null) return ''
  const described = ['alt', 'data-decorative', 'width', 'height']
    .filter((name) => attributes[name] !== undefined && attributes[name] !== null)
    .map((name) => ` ${name}="${escapeHtml(String(attributes[name]))}"`)
  return `<img src="${escapeHtml(src)}"${described.join('')}>`
}

function escapeHtml(text: string): string {
  return text.replace(
    /[&<>"]/g,
    (character) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt' }[character] ?? 'quot'};`,
  )
}
