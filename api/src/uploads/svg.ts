import { fileKindOf } from '@proctorpass/shared/file-kind'
import { checkDrawn, type Drawn } from './svg-cost.ts'
import { sizeOf } from './svg-size.ts'
import { type Declaration, readStyles, type Styles } from './svg-styles.ts'
import { readSvg, type SvgElement } from './svg-tree.ts'
import { createValues, fontParts, withVariables } from './svg-values.ts'
import * as vocabulary from './svg-vocabulary.ts'
import { refusedSvg, tooManyStyles, wrongFile } from './wrong-file.ts'

/** The limit for a file without its embedded images. */
const BYTES_MAX = 1024 * 1024
/** Each element repeats the styles that concern it. */
const WRITTEN_MAX = 4 * BYTES_MAX
const IMAGES_MAX = 50
const CLEANED_MAX = 12
const DATA_IMAGE = /^data:image\/[\w.+-]{1,40};base64,/i

export interface CleanSvg {
  /** The SVG's text. The i-th embedded image belongs where `imagePlace(i)` stands. */
  text: string
  images: Buffer[]
  width: number
  height: number
  /** What was left out, in English, as parts of a sentence. */
  cleaned: string[]
}

/**
 * Writes an SVG anew from an allow-list, with its styles as attributes. Leaves out what programs add for themselves.
 * Throws an AppError for anything that could run or load something, and for anything without which the picture would
 * look different.
 * @see docs/decisions/0102-svg-as-programs-write-it.md
 */
export function rewriteSvg(bytes: Buffer): CleanSvg {
  const cleaned = new Set<string>()
  const tree = readSvg(bytes, cleaned)
  const cleaner = createCleaner(readStyles(tree.styles, cleaned), idNames(tree.root), cleaned)
  const root = cleaner.clean(tree.root, new Map())
  checkDrawn(root)
  const { width, height, box } = sizeOf(tree.root.attributes)
  const attributes: Drawn['attributes'] = [
    ...root.attributes.filter(([name]) => !['width', 'height', 'viewBox'].includes(name)),
    ...(box === '' ? [] : [['viewBox', box] as [string, string]]),
    ['width', String(width)],
    ['height', String(height)],
  ]
  const { bytes: images, length } = cleaner.images()
  if (bytes.length - length > BYTES_MAX) {
    throw wrongFile('This SVG is too large: the limit is 1 MB besides its images. Export it as PNG.')
  }
  const text = write({ ...root, attributes })
  return { text, images, width, height, cleaned: [...cleaned].slice(0, CLEANED_MAX) }
}

/** Keeps IDs of letters and digits in any script. Others get a name that needs no quotes. */
function idNames(root: SvgElement): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const visit = ({ attributes, children }: SvgElement) => {
    const id = attributes.get('id')
    if (id !== undefined && !names.has(id)) names.set(id, '')
    for (const child of children) if (typeof child !== 'string') visit(child)
  }
  visit(root)
  for (const id of names.keys()) if (isPlainId(id)) taken.add(id)
  let count = 0
  for (const id of names.keys()) {
    let name = id
    while (!isPlainId(name) || (name !== id && taken.has(name))) name = `id-${++count}`
    names.set(id, name)
  }
  return names
}

function isPlainId(id: string): boolean {
  return /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.:-]{0,199}$/u.test(id)
}

function createCleaner(styles: Styles, ids: ReadonlyMap<string, string>, cleaned: Set<string>) {
  const idFor = (id: string) => ids.get(id) ?? ids.get(decoded(id)) ?? 'missing'
  const values = createValues(idFor)
  const images = new Map<string, number>()
  const imageBytes: Buffer[] = []

  function clean(source: SvgElement, inherited: ReadonlyMap<string, string>): Drawn {
    const element: Drawn = { name: source.name, attributes: [], children: [], references: [], calls: 0 }
    const declarations = styles.of(source, source.attributes.get('style') ?? '')
    const variables = withOwn(inherited, declarations)
    const declared = longhands(declarations)
    for (const [name, value] of source.attributes) {
      if (!declared.has(name) || !isProperty(element.name, name))
        takeAttribute(element, source, name, value, variables)
    }
    const rest: string[] = []
    for (const [name, value] of declared) {
      if (isProperty(element.name, name)) takeProperty(element, source, name, value, variables)
      else if (vocabulary.STYLES.has(name)) {
        const found = takeStyle(source, name, value, variables)
        if (found !== null) rest.push(`${name}:${found}`)
      } else if (/^(?:animation|transition)/.test(name)) cleaned.add('animations')
    }
    if (rest.length > 0) element.attributes.push(['style', rest.join(';')])
    for (const child of source.children) {
      element.children.push(typeof child === 'string' ? child : clean(child, variables))
    }
    return element
  }

  function takeAttribute(
    element: Drawn,
    source: SvgElement,
    name: string,
    value: string,
    variables: ReadonlyMap<string, string>,
  ): void {
    if (name === 'id') element.attributes.push([name, idFor(value)])
    else if (name === 'href') takeHref(element, value.trim())
    else if (vocabulary.PRESENTATION.has(name)) takeProperty(element, source, name, value, variables)
    else if (vocabulary.ATTRIBUTES.has(name)) {
      // None of these attributes takes a URL, but some browsers read some of them as CSS.
      if (name === 'aria-label' || !/url\s*\(|\\/i.test(value)) element.attributes.push([name, value])
    } else if (vocabulary.ID_LISTS.has(name)) {
      element.attributes.push([name, value.trim().split(/\s+/).map(idFor).join(' ')])
    } else if (!vocabulary.INERT.test(name)) cleaned.add(`the attribute ${name.slice(0, 40)}`)
  }

  function takeProperty(
    element: Drawn,
    source: SvgElement,
    name: string,
    value: string,
    variables: ReadonlyMap<string, string>,
  ): void {
    const found = readable(value, variables)
    if (found === null) return
    // A marker has no markers of its own.
    if (name.startsWith('marker-') && isWithin(source, 'marker')) return
    element.attributes.push([name, found.text])
    element.references.push(...found.ids)
    if (name === 'filter') element.calls += found.calls
  }

  function takeStyle(
    source: SvgElement,
    name: string,
    value: string,
    variables: ReadonlyMap<string, string>,
  ) {
    const isRoot = source.parent === null
    if (isRoot ? name.startsWith('transform') : name === 'background-color') return null
    const found = readable(value, variables)
    return found === null || found.ids.length > 0 ? null : found.text
  }

  function readable(value: string, variables: ReadonlyMap<string, string>) {
    const replaced = withVariables(value, variables)
    const found = replaced === null ? null : values.clean(replaced)
    if (found === null) cleaned.add('a style that browsers cannot read')
    return found?.text === '' ? null : found
  }

  function takeHref(element: Drawn, href: string): void {
    if (vocabulary.WITH_HREF.has(element.name) && href.startsWith('#')) {
      const id = idFor(href.slice(1))
      element.references.push(id)
      element.attributes.push(['href', `#${id}`])
    } else if (vocabulary.WITH_IMAGE.has(element.name) && href !== '') {
      element.attributes.push(['href', vocabulary.imagePlace(imageOf(href))])
    } else if (href !== '') throw refusedSvg('a reference to another file')
  }

  function imageOf(href: string): number {
    const start = DATA_IMAGE.exec(href)?.[0]
    if (start === undefined) {
      throw wrongFile(
        href.startsWith('data:')
          ? "This SVG contains an image that isn't a PNG, JPEG, or WebP. Export it as PNG."
          : 'This SVG shows an image from another file. Embed that image, or export the whole as PNG.',
      )
    }
    const known = images.get(href)
    if (known !== undefined) return known
    const bytes = Buffer.from(href.slice(start.length), 'base64')
    if (!['PNG', 'JPEG', 'WebP'].includes(fileKindOf(bytes) ?? '')) {
      throw wrongFile("This SVG contains an image that isn't a PNG, JPEG, or WebP. Export it as PNG.")
    }
    if (imageBytes.length === IMAGES_MAX)
      throw wrongFile('This SVG contains too many images. Export it as PNG.')
    images.set(href, imageBytes.length)
    return imageBytes.push(bytes) - 1
  }

  const sentLength = () => [...images.keys()].reduce((sum, { length }) => sum + length, 0)
  return { clean, images: () => ({ bytes: imageBytes, length: sentLength() }) }
}

function isProperty(element: string, name: string): boolean {
  return vocabulary.PRESENTATION.has(name) || (vocabulary.GEOMETRY.get(element)?.has(name) ?? false)
}

function isWithin(element: SvgElement, name: string): boolean {
  for (let each: SvgElement | null = element; each !== null; each = each.parent)
    if (each.name === name) return true
  return false
}

/** Returns each property's last value, with shorthands split into what they stand for. */
function longhands(declarations: readonly Declaration[]): Map<string, string> {
  const found = new Map<string, string>()
  const take = (name: string, value: string) => {
    // The property is added again, so that it stands after those that it overrides.
    found.delete(name)
    found.set(name, value)
  }
  for (const { name, value } of declarations) {
    if (name === 'font') for (const part of fontParts(value)) take(...part)
    else if (name === 'marker') for (const where of ['start', 'mid', 'end']) take(`marker-${where}`, value)
    else if (name === 'background') take('background-color', value)
    else if (!name.startsWith('--')) take(name, value)
  }
  return found
}

function withOwn(inherited: ReadonlyMap<string, string>, declarations: readonly Declaration[]) {
  const own = declarations.filter(({ name }) => name.startsWith('--'))
  return own.length === 0
    ? inherited
    : new Map([...inherited, ...own.map(({ name, value }) => [name, value] as const)])
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

function write(root: Drawn): string {
  const parts: string[] = []
  let length = 0
  const add = (part: string) => {
    length += part.length
    if (length > WRITTEN_MAX) throw tooManyStyles()
    parts.push(part)
  }
  const visit = ({ name, attributes, children }: Drawn, start: string) => {
    add(`${start}${attributes.map(([each, value]) => ` ${each}="${escaped(value)}"`).join('')}`)
    if (children.length === 0) return add('/>')
    add('>')
    for (const child of children) {
      if (typeof child === 'string') add(escaped(child))
      else visit(child, `<${child.name}`)
    }
    add(`</${name}>`)
  }
  visit(root, `<svg xmlns="${vocabulary.SVG}"`)
  return parts.join('')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]+/g, ' ')
}
