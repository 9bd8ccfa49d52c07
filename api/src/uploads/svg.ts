import type { AppError } from '@proctorpass/shared/errors'
import { type SaxesAttributeNS, SaxesParser } from 'saxes'
import { wrongFile } from './wrong-file.ts'

const BYTES_MAX = 1024 * 1024
const DEPTH_MAX = 64
const ELEMENTS_MAX = 20_000
/** Elements drawn once every reference is expanded. */
const DRAWN_MAX = 50_000
const SIDE_MAX = 10_000

const SVG = 'http://www.w3.org/2000/svg'
const XLINK = 'http://www.w3.org/1999/xlink'
const XML = 'http://www.w3.org/XML/1998/namespace'
const XMLNS = 'http://www.w3.org/2000/xmlns/'
const XHTML = 'http://www.w3.org/1999/xhtml'

const set = (text: string) => new Set(text.trim().split(/\s+/))

/** Shapes, text, colors, clips and masks. No scripts, animations, loads, links or expensive filters. */
const ELEMENTS = set(`
  svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker switch
`)
const WITH_TEXT = set('title desc text tspan textPath')
const STYLES = set(`
  clip-path clip-rule color color-interpolation direction display dominant-baseline baseline-shift alignment-baseline
  fill fill-opacity fill-rule font-family font-size font-size-adjust font-stretch font-style font-variant font-weight
  isolation letter-spacing marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow
  paint-order shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
  stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering
  unicode-bidi vector-effect visibility word-spacing writing-mode
`)
const ATTRIBUTES = set(`
  id class role aria-label aria-hidden aria-labelledby aria-describedby focusable version baseProfile x y x1 y1 x2 y2
  cx cy r rx ry fx fy fr d points dx dy rotate textLength lengthAdjust startOffset method spacing side width height
  viewBox preserveAspectRatio transform gradientTransform gradientUnits spreadMethod offset patternUnits
  patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits markerHeight markerUnits markerWidth
  orient refX refY pathLength image-rendering enable-background data-name
`)
/** Elements that may refer to another element of the same file, only by `#id`. */
const WITH_HREF = set('use textPath linearGradient radialGradient pattern')
/** `url(#id)`, the only allowed use of url(). */
const LOCAL_URL = /url\(\s*(?:"#([\w.:-]+)"|'#([\w.:-]+)'|#([\w.:-]+))\s*\)/g
const IMPORTANT = '!important'
const HOSTILE_VALUE = /url\s*\(|\\|@|\/\*|[<>{};]|expression|javascript|data:/i

interface Element {
  name: string
  attributes: [name: string, value: string][]
  children: (Element | string)[]
  /** Ids that this element refers to. */
  references: string[]
}

/**
 * Rewrites an SVG from an allow-list. Answers its size in pixels. Throws AppError for anything not on the list.
 * @see docs/decisions/0040-svg-cleaner.md
 */
export function rewriteSvg(bytes: Buffer): { text: string; width: number; height: number } {
  if (bytes.length > BYTES_MAX) throw wrongFile('This SVG is too large: the limit is 1 MB.')
  const root = parse(decode(bytes))
  checkDrawn(root)
  const size = sizeOf(root)
  const rest = root.attributes.filter(([name]) => name !== 'width' && name !== 'height')
  const attributes: Element['attributes'] = [
    ...rest,
    ['width', String(size.width)],
    ['height', String(size.height)],
  ]
  if (attributeOf(root, 'viewBox') === undefined) {
    attributes.push(['viewBox', `0 0 ${size.width} ${size.height}`])
  }
  return { text: written({ ...root, attributes }, true), ...size }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw wrongFile("This SVG isn't in UTF-8.")
  }
}

function parse(text: string): Element {
  const parser = new SaxesParser({ xmlns: true, position: false })
  const open: Element[] = []
  let root: Element | null = null
  let count = 0
  // Depth inside an element of a drawing program, which is skipped with its content.
  let skipped = 0

  parser.on('error', () => {
    throw wrongFile("This SVG isn't well formed.")
  })
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(?:utf-8|us-ascii)$/i.test(encoding))
      throw wrongFile("This SVG isn't in UTF-8.")
  })
  parser.on('doctype', () => {
    throw refused('a DOCTYPE')
  })
  parser.on('processinginstruction', () => {
    throw refused('a processing instruction')
  })
  parser.on('cdata', (value) => takeText(value))
  parser.on('text', (value) => takeText(value))
  parser.on('opentag', ({ local, uri, attributes }) => {
    count += 1
    if (count > ELEMENTS_MAX) throw wrongFile('This SVG has too many elements.')
    if (open.length + skipped >= DEPTH_MAX) throw wrongFile('This SVG is nested too deeply.')
    if (skipped > 0 || isEditorData(local, uri)) {
      skipped += 1
      return
    }
    if (uri !== SVG || !ELEMENTS.has(local)) throw refused(`<${local.slice(0, 40)}>`)
    if ((root === null) !== (local === 'svg')) {
      throw wrongFile('An SVG must start with an <svg> element and contain no other one.')
    }
    const element: Element = { name: local, attributes: [], children: [], references: [] }
    for (const attribute of Object.values(attributes)) takeAttribute(element, attribute)
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => {
    if (skipped > 0) skipped -= 1
    else open.pop()
  })

  function takeText(value: string): void {
    const parent = open.at(-1)
    if (skipped === 0 && parent !== undefined && WITH_TEXT.has(parent.name)) parent.children.push(value)
  }

  parser.write(text).close()
  if (root === null) throw wrongFile('This SVG is empty.')
  return root
}

/** Private elements of drawing programs, and RDF descriptions. */
function isEditorData(local: string, uri: string): boolean {
  return (uri === SVG && local === 'metadata') || (uri !== SVG && uri !== XHTML && uri !== '')
}

function takeAttribute(element: Element, { local, uri, prefix, value }: SaxesAttributeNS): void {
  // Namespaces are declared by written(); xml:space and the like are not needed.
  if (uri === XMLNS || uri === XML || (prefix === '' && local === 'xmlns')) return
  if (local === 'href' && (uri === XLINK || uri === '')) {
    const id = /^#([\w.:-]+)$/.exec(value.trim())?.[1]
    if (id === undefined || !WITH_HREF.has(element.name))
      throw refused('a link or a reference to another file')
    element.references.push(id)
    if (attributeOf(element, 'href') === undefined) element.attributes.push(['href', `#${id}`])
    return
  }
  // Private attributes of drawing programs.
  if (uri !== '') return
  if (local === 'style') {
    for (const declaration of value.split(';')) takeStyle(element, declaration)
    return
  }
  if (local.startsWith('data-') || local === 'xmlns') return
  if (!ATTRIBUTES.has(local) && !STYLES.has(local)) throw refused(`the attribute ${local.slice(0, 40)}`)
  takeValue(element, local, value)
}

/** Turns a style declaration into the equivalent attribute, so that the file has no style. */
function takeStyle(element: Element, declaration: string): void {
  const colon = declaration.indexOf(':')
  const name = declaration.slice(0, colon).trim().toLowerCase()
  if (colon < 0) {
    if (declaration.trim() !== '') throw refused('an unreadable style')
    return
  }
  const value = withoutImportant(declaration.slice(colon + 1).trim())
  checkValue(value)
  if (!STYLES.has(name)) return
  element.attributes = element.attributes.filter(([other]) => other !== name)
  takeValue(element, name, value)
}

function withoutImportant(value: string): string {
  return value.toLowerCase().endsWith(IMPORTANT) ? value.slice(0, -IMPORTANT.length).trim() : value
}

function takeValue(element: Element, name: string, value: string): void {
  if (name !== 'id' && name !== 'aria-label') element.references.push(...checkValue(value))
  element.attributes.push([name, value])
}

/** The ids that a value refers to. Throws when the value could load or run something. */
function checkValue(value: string): string[] {
  const ids: string[] = []
  const rest = value.replace(LOCAL_URL, (_all, double, single, bare) => {
    ids.push(double ?? single ?? bare)
    return ''
  })
  if (HOSTILE_VALUE.test(rest)) throw refused('a value that could load or run something')
  return ids
}

/** Counts drawn elements through all references, because nested references multiply. */
function checkDrawn(root: Element): void {
  const byId = new Map<string, Element>()
  const collect = (element: Element) => {
    const id = attributeOf(element, 'id')
    if (id !== undefined && !byId.has(id)) byId.set(id, element)
    for (const child of element.children) if (typeof child !== 'string') collect(child)
  }
  collect(root)

  const costs = new Map<Element, number>()
  const inProgress = new Set<Element>()
  const cost = (element: Element): number => {
    const known = costs.get(element)
    if (known !== undefined) return known
    if (inProgress.has(element) || inProgress.size > 1_000) throw wrongFile('This SVG refers to itself.')
    inProgress.add(element)
    let sum = 1
    for (const id of element.references) {
      const target = byId.get(id)
      if (target !== undefined) sum += cost(target)
    }
    for (const child of element.children) if (typeof child !== 'string') sum += cost(child)
    inProgress.delete(element)
    if (sum > DRAWN_MAX) throw wrongFile('This SVG draws too many elements.')
    costs.set(element, sum)
    return sum
  }
  cost(root)
}

function sizeOf(root: Element): { width: number; height: number } {
  const [, , boxWidth, boxHeight] = (attributeOf(root, 'viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const pixels = (name: string) =>
    Number(/^(\d+(?:\.\d+)?|\.\d+)(?:px)?$/.exec(attributeOf(root, name)?.trim() ?? '')?.[1])
  let [width, height] = [pixels('width'), pixels('height')]
  if (!(width > 0 && height > 0)) [width, height] = [boxWidth ?? Number.NaN, boxHeight ?? Number.NaN]
  if (!(width > 0 && height > 0)) throw wrongFile('This SVG has no size: it needs a viewBox.')
  if (width > SIDE_MAX || height > SIDE_MAX) {
    throw wrongFile(`This SVG is too large: the limit is ${SIDE_MAX} pixels per side.`)
  }
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) }
}

function attributeOf(element: Element, name: string): string | undefined {
  return element.attributes.find(([other]) => other === name)?.[1]
}

function written(element: Element, isRoot = false): string {
  const namespace = isRoot ? ` xmlns="${SVG}"` : ''
  const attributes = element.attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')
  const inside = element.children
    .map((child) => (typeof child === 'string' ? escaped(child) : written(child)))
    .join('')
  const end = inside === '' ? '/>' : `>${inside}</${element.name}>`
  return `<${element.name}${namespace}${attributes}${end}`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]+/g, ' ')
}

function refused(what: string): AppError {
  return wrongFile(`This SVG contains ${what}, which isn't allowed.`)
}
