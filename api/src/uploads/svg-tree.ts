import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { ACTIVE, ELEMENTS, SVG, WITH_TEXT, XHTML, XLINK, XML, XMLNS } from './svg-vocabulary.ts'
import { refusedSvg, wrongFile } from './wrong-file.ts'

const DEPTH_MAX = 64
const ELEMENTS_MAX = 20_000
/** Drawing programs write at most this many. */
const ENTITIES_MAX = 50
const MEDIA = new Set([
  '',
  'all',
  'screen',
  'only screen',
  '(prefers-color-scheme: light)',
  '(prefers-color-scheme:light)',
])
/** HTML elements that show nothing by themselves. */
const EMPTY_HTML = new Set(['div', 'span', 'p', 'br', 'body', 'html'])
/** The entity of a namespace. Illustrator declares one for each namespace that it uses. */
const NAMESPACE_ENTITY =
  /<!ENTITY\s{1,9}([\w.-]{1,60})\s{1,9}(?:"(https?:[\w./#:-]{1,100})"|'(https?:[\w./#:-]{1,100})')\s{0,9}>/g

/** An element with an allowed name, and with its attributes as they came. */
export interface SvgElement {
  name: string
  /** The attributes without a namespace, and `href` and `xml:space`. */
  attributes: Map<string, string>
  children: (SvgElement | string)[]
  parent: SvgElement | null
  /** The element before this one. */
  previous: SvgElement | null
  /** The position among the parent's elements, from 1. */
  position: number
}

export interface SvgTree {
  root: SvgElement
  /** The texts of the style elements. */
  styles: string[]
}

/** Content that is left out: the text of a style is read, and HTML is checked for anything visible. */
interface Skipped {
  kind: 'data' | 'style' | 'html'
  depth: number
  text: string
  hasContent: boolean
}

/**
 * Reads an SVG's allowed elements. Leaves out what programs add for themselves, and names it in `cleaned`. Throws an
 * AppError for anything that runs or loads something, and beyond the limits of depth and number.
 */
export function readSvg(bytes: Buffer, cleaned: Set<string>): SvgTree {
  const parser = new SaxesParser({ xmlns: true, position: false, additionalNamespaces: { xlink: XLINK } })
  const open: SvgElement[] = []
  const styles: string[] = []
  /** Switches that lost HTML with a text, so they need another child. */
  const needChild = new Set<SvgElement>()
  let root: SvgElement | null = null
  let isPlain = false
  let count = 0
  let skipped: Skipped | null = null

  parser.on('error', () => {
    throw wrongFile("This SVG isn't well formed: browsers can't show it. Export it again, or as PNG.")
  })
  parser.on('doctype', (doctype) => {
    const start = doctype.indexOf('[')
    const subset = start < 0 ? '' : doctype.slice(start + 1, doctype.lastIndexOf(']'))
    if (subset.replace(NAMESPACE_ENTITY, '').trim() !== '') throw refusedSvg('a DOCTYPE with declarations')
  })
  parser.on('processinginstruction', ({ target }) => {
    if (target === 'xml-stylesheet') cleaned.add('a style sheet of another file')
  })
  parser.on('cdata', takeText)
  parser.on('text', takeText)
  parser.on('opentag', (tag) => {
    count += 1
    if (count > ELEMENTS_MAX)
      throw wrongFile('This SVG has too many elements. Simplify it, or export it as PNG.')
    if (open.length + (skipped?.depth ?? 0) >= DEPTH_MAX) {
      throw wrongFile('This SVG is nested too deeply. Ungroup it, or export it as PNG.')
    }
    const { local, uri } = tag
    if (skipped !== null) {
      skipped.depth += 1
      skipped.hasContent ||= !EMPTY_HTML.has(local)
      return
    }
    if (root === null) takeRoot(tag)
    else takeElement(tag, uri === SVG || (isPlain && uri === ''))
  })
  parser.on('closetag', () => {
    if (skipped === null) {
      const closed = open.pop()
      if (closed && needChild.has(closed) && closed.children.every((child) => typeof child === 'string'))
        throw htmlText()
      return
    }
    skipped.depth -= 1
    if (skipped.depth === 0) endSkipped(skipped)
  })

  function takeRoot({ local, uri, attributes }: SaxesTagNS): void {
    // An SVG that was copied from a page has no namespace.
    isPlain = uri === ''
    if (local !== 'svg' || (uri !== SVG && !isPlain))
      throw wrongFile('An SVG must start with an <svg> element.')
    root = push(local, attributesOf(attributes, cleaned))
  }

  function takeElement({ local, uri, attributes: sent }: SaxesTagNS, isSvg: boolean): void {
    if (!isSvg && (uri === XHTML || uri === '')) throw refusedSvg(`<${local.slice(0, 40)}>`)
    if (isSvg && ACTIVE.has(local)) throw refusedSvg(`<${local}>`)
    const attributes = attributesOf(sent, cleaned)
    if (isSvg && ELEMENTS.has(local) && !attributes.has('requiredExtensions')) push(local, attributes)
    else if (isSvg && local === 'a') takeLink(attributes)
    else skipped = { kind: kindOf(local, attributes, isSvg), depth: 1, text: '', hasContent: false }
  }

  /** Removes the link and keeps what is linked. */
  function takeLink(attributes: Map<string, string>): void {
    checkLink(attributes.get('href') ?? '')
    cleaned.add('links')
    attributes.delete('href')
    push(WITH_TEXT.has(open.at(-1)?.name ?? '') ? 'tspan' : 'g', attributes)
  }

  function kindOf(name: string, attributes: ReadonlyMap<string, string>, isSvg: boolean): Skipped['kind'] {
    if (!isSvg || name === 'metadata') cleaned.add('data of a drawing program')
    // No browser supports any extension, so no browser shows such an element.
    else if (attributes.has('requiredExtensions')) return 'data'
    else if (name === 'foreignObject') return 'html'
    else if (name === 'style') {
      const isCss = /^\s*(?:text\/css\s*)?$/i.test(attributes.get('type') ?? '')
      return isCss && isOnScreen(attributes.get('media') ?? '') ? 'style' : 'data'
    } else cleaned.add(`<${name.slice(0, 40)}>`)
    return 'data'
  }

  function push(name: string, attributes: Map<string, string>): SvgElement {
    const parent = open.at(-1) ?? null
    const previous = parent?.children.findLast((child) => typeof child !== 'string') ?? null
    const position = (previous?.position ?? 0) + 1
    const element: SvgElement = { name, attributes, children: [], parent, previous, position }
    parent?.children.push(element)
    open.push(element)
    return element
  }

  function takeText(value: string): void {
    if (skipped?.kind === 'style') skipped.text += value
    if (skipped !== null) {
      skipped.hasContent ||= value.trim() !== ''
      return
    }
    const parent = open.at(-1)
    if (parent !== undefined && WITH_TEXT.has(parent.name)) parent.children.push(value)
  }

  function endSkipped({ kind, text, hasContent }: Skipped): void {
    skipped = null
    if (kind === 'style') styles.push(text)
    if (kind !== 'html' || !hasContent) return
    const parent = open.at(-1)
    if (parent?.name !== 'switch') throw htmlText()
    needChild.add(parent)
    cleaned.add('text in HTML, which is there as plain text too')
  }

  parser.write(withNamespaces(decode(bytes))).close()
  if (root === null) throw wrongFile('This SVG is empty.')
  return { root, styles }
}

/** Whether rules for these media apply on a screen that is not dark. */
export function isOnScreen(media: string): boolean {
  return MEDIA.has(media.trim().toLowerCase().replace(/\s+/g, ' '))
}

function htmlText() {
  return wrongFile(
    'The text of this SVG is HTML (<foreignObject>), which images cannot show everywhere. Export it as PNG, or with ' +
      'plain text: in Mermaid with htmlLabels: false, in draw.io without "Formatted text".',
  )
}

function checkLink(href: string): void {
  const scheme = /^[^:/?#]*:/.exec(href.replace(/[\s\p{Cc}]/gu, '').toLowerCase())?.[0]
  if (scheme !== undefined && !['http:', 'https:', 'mailto:', 'tel:', 'file:'].includes(scheme)) {
    throw refusedSvg('a link that runs something')
  }
}

function attributesOf(sent: Record<string, SaxesAttributeNS>, cleaned: Set<string>): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const { local, uri, prefix, value } of Object.values(sent)) {
    if (/^on[a-z]/i.test(local)) throw refusedSvg(`the attribute ${local.slice(0, 40)}`)
    if (uri === XMLNS || (prefix === '' && local === 'xmlns')) continue
    if (uri === XLINK) {
      if (local === 'href' && !attributes.has('href')) attributes.set(local, value)
    } else if (uri === XML) {
      if (local === 'space' && value === 'preserve') attributes.set('xml:space', value)
    } else if (uri === '') attributes.set(local, value)
    else cleaned.add('data of a drawing program')
  }
  return attributes
}

function decode(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 300)
  const declared = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1]
  let encoding = declared ?? 'utf-8'
  if (/^(?:\xff\xfe|<\0)/.test(start)) encoding = 'utf-16le'
  else if (/^(?:\xfe\xff|\0<)/.test(start)) encoding = 'utf-16be'
  // The text cannot be UTF-16, because its declaration could be read.
  else if (/^(?:utf-16|ucs-2|iso-10646)/i.test(encoding)) encoding = 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    // The XML declaration must come first.
    return text.trimStart()
  } catch {
    const name = encoding.toUpperCase().slice(0, 40)
    throw wrongFile(`This SVG isn't in ${name}, as it should be. Export it in UTF-8, or as PNG.`)
  }
}

/** Replaces entities that stand for namespaces with their names, so that no entity has to be expanded. */
function withNamespaces(text: string): string {
  const start = text.indexOf('<!DOCTYPE')
  if (start < 0) return text
  const names = new Map<string, string>()
  for (const [, name = '', double, single] of text.slice(start, start + 10_000).matchAll(NAMESPACE_ENTITY)) {
    if (names.size < ENTITIES_MAX) names.set(name, double ?? single ?? '')
  }
  if (names.size === 0) return text
  return text.replace(
    /(\s(?:xmlns(?::[\w.-]{1,60})?|requiredExtensions)=["'])&([\w.-]{1,60});(?=["'])/g,
    (all, before: string, name: string) => (names.has(name) ? before + names.get(name) : all),
  )
}
