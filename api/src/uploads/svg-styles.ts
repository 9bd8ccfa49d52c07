import type { Atrule, Block, CssNode, Rule as CssRule, ParseOptions, Selector, StyleSheet } from 'css-tree'
import parse from 'css-tree/parser'
import { tokenize, tokenTypes } from 'css-tree/tokenizer'
import { ident } from 'css-tree/utils'
import { isOnScreen, type SvgElement } from './svg-tree.ts'
import { tooManyStyles } from './wrong-file.ts'

const SELECTORS_MAX = 5_000
/** Comparisons of elements with parts of selectors; this many take half a second of processor time. */
const STEPS_MAX = 3_000_000
const DECLARATIONS_MAX = 500_000

export interface Declaration {
  name: string
  value: string
  isImportant: boolean
}

/** The part of a selector that concerns one element. */
interface Compound {
  conditions: CssNode[]
  /** The combinator with the part on the left; empty for the leftmost part. */
  combinator: string
}

interface Rule {
  /** The selector's parts from right to left. */
  compounds: Compound[]
  specificity: number
  order: number
  declarations: Declaration[]
}

/** The rules of an SVG's style elements. */
export interface Styles {
  /**
   * Returns the declarations for an element, with the winning ones last. `style` is the element's attribute. Throws if
   * there are too many declarations.
   */
  of(element: SvgElement, style: string): Declaration[]
}

/** Reads style sheets. Leaves out rules for paper, dark screens, and pointers. */
export function readStyles(texts: readonly string[], cleaned: Set<string>): Styles {
  const rules = texts.flatMap((text) => {
    const sheet = parsed(text, { parseAtrulePrelude: false })
    return sheet?.type === 'StyleSheet' ? rulesOf(sheet, cleaned) : []
  })
  if (rules.length > SELECTORS_MAX) throw tooManyStyles()
  const byKey = Map.groupBy(
    rules.map((rule, order) => ({ ...rule, order })),
    ({ compounds }) => keyOf(compounds[0]?.conditions ?? []),
  )
  const inline = new Map<string, Declaration[]>()
  const match = createMatcher()
  let total = 0

  return {
    of(element, style) {
      if (rules.length === 0 && style === '') return []
      const matched: Rule[] = []
      for (const key of keysOf(element)) {
        for (const rule of byKey.get(key) ?? []) if (match(element, rule.compounds)) matched.push(rule)
      }
      matched.sort((a, b) => a.specificity - b.specificity || a.order - b.order)
      const own = style === '' ? [] : (inline.get(style) ?? declarationsIn(style))
      inline.set(style, own)
      const all = [...matched.flatMap(({ declarations }) => declarations), ...own]
      total += all.length
      if (total > DECLARATIONS_MAX) throw tooManyStyles()
      return [
        ...all.filter(({ isImportant }) => !isImportant),
        ...all.filter(({ isImportant }) => isImportant),
      ]
    },
  }
}

function declarationsIn(style: string): Declaration[] {
  const list = parsed(style, { context: 'declarationList' })
  return list?.type === 'DeclarationList' ? declarationsOf(list.children) : []
}

/**
 * Parses CSS; null if the parser gives up, as it does with thousands of brackets. Values are parsed when they are used.
 * css-tree 3.2.1 never finishes some texts with unclosed brackets (random texts showed it): it reports one error after
 * another. A text has no more errors than characters, so more errors mean such a text.
 */
function parsed(text: string, options: ParseOptions): CssNode | null {
  let errors = 0
  const onParseError = () => {
    errors += 1
    if (errors > text.length) throw new Error('The parser does not end.')
  }
  try {
    return parse(withoutStrayBrackets(text), { ...options, parseValue: false, onParseError })
  } catch {
    return null
  }
}

const CLOSED_BY: Record<number, number | undefined> = {
  [tokenTypes.Function]: tokenTypes.RightParenthesis,
  [tokenTypes.LeftParenthesis]: tokenTypes.RightParenthesis,
  [tokenTypes.LeftSquareBracket]: tokenTypes.RightSquareBracket,
  [tokenTypes.LeftCurlyBracket]: tokenTypes.RightCurlyBracket,
}
const CLOSING = new Set(Object.values(CLOSED_BY))

/**
 * Replaces each bracket that closes nothing with a letter, which is equally wrong there. css-tree would take such a
 * bracket for the end of a block in the text that it parsed before, and might then run forever.
 */
function withoutStrayBrackets(text: string): string {
  const parts: string[] = []
  const open: (number | undefined)[] = []
  tokenize(text, (type, start, end) => {
    const isStray = open.length === 0 && CLOSING.has(type)
    parts.push(isStray ? '\ufffd' : text.slice(start, end))
    if (type === open.at(-1)) open.pop()
    else if (CLOSED_BY[type] !== undefined) open.push(CLOSED_BY[type])
  })
  return parts.join('')
}

function declarationsOf(nodes: Iterable<CssNode>): Declaration[] {
  const declarations: Declaration[] = []
  for (const node of nodes) {
    if (node.type !== 'Declaration' || node.value.type !== 'Raw') continue
    const name = node.property.startsWith('--') ? node.property : node.property.toLowerCase()
    declarations.push({ name, value: node.value.value.trim(), isImportant: node.important !== false })
  }
  return declarations
}

function rulesOf(sheet: StyleSheet | Block, cleaned: Set<string>): Omit<Rule, 'order'>[] {
  const rules: Omit<Rule, 'order'>[] = []
  for (const node of sheet.children) {
    if (node.type === 'Rule') rules.push(...ruleOf(node))
    if (node.type === 'Atrule') rules.push(...rulesOfAtrule(node, cleaned))
  }
  return rules
}

function rulesOfAtrule({ name, prelude, block }: Atrule, cleaned: Set<string>): Omit<Rule, 'order'>[] {
  const kind = name.toLowerCase()
  if (kind === 'import') cleaned.add('a style sheet of another file')
  if (kind === 'font-face') cleaned.add('fonts')
  if (kind.endsWith('keyframes')) cleaned.add('animations')
  const condition = prelude?.type === 'Raw' ? prelude.value : ''
  return kind === 'media' && block && isOnScreen(condition) ? rulesOf(block, cleaned) : []
}

function ruleOf({ prelude, block }: CssRule): Omit<Rule, 'order'>[] {
  if (prelude.type !== 'SelectorList') return []
  const declarations = declarationsOf(block.children)
  return [...prelude.children].flatMap((selector) =>
    selector.type === 'Selector' && declarations.length > 0
      ? [{ compounds: compoundsOf(selector), specificity: specificityOf(selector), declarations }]
      : [],
  )
}

function compoundsOf(selector: Selector): Compound[] {
  const compounds: Compound[] = [{ conditions: [], combinator: '' }]
  for (const node of selector.children) {
    if (node.type === 'Combinator') compounds.push({ conditions: [], combinator: node.name })
    else compounds.at(-1)?.conditions.push(node)
  }
  return compounds.reverse()
}

function specificityOf(selector: Selector): number {
  let sum = 0
  for (const node of selector.children) {
    if (node.type === 'IdSelector') sum += 1_000_000
    else if (node.type === 'TypeSelector') sum += node.name === '*' ? 0 : 1
    else if (node.type === 'PseudoClassSelector' && node.name === 'where') sum += 0
    else if (node.type === 'PseudoClassSelector' && selectorsIn(node).length > 0) {
      sum += Math.max(...selectorsIn(node).map(specificityOf))
    } else if (node.type !== 'Combinator') sum += 1_000
  }
  return sum
}

/** Returns what an element must at least have to match a selector's last part. */
function keyOf(conditions: readonly CssNode[]): string {
  const id = conditions.find(({ type }) => type === 'IdSelector')
  if (id?.type === 'IdSelector') return `#${ident.decode(id.name)}`
  const found = conditions.find(({ type }) => type === 'ClassSelector')
  if (found?.type === 'ClassSelector') return `.${ident.decode(found.name)}`
  const type = conditions.find((node) => node.type === 'TypeSelector')
  return type?.type === 'TypeSelector' ? typeName(type.name) : '*'
}

function keysOf(element: SvgElement): string[] {
  const classes = [...classesOf(element)].map((each) => `.${each}`)
  return ['*', element.name, ...classes, `#${element.attributes.get('id') ?? ''}`]
}

/** Returns an element name without its namespace prefix. */
function typeName(name: string): string {
  return ident.decode(name.slice(name.lastIndexOf('|') + 1))
}

const classes = new WeakMap<SvgElement, Set<string>>()

function classesOf(element: SvgElement): Set<string> {
  const known = classes.get(element) ?? new Set(element.attributes.get('class')?.split(/\s+/).filter(Boolean))
  classes.set(element, known)
  return known
}

function selectorsIn(node: CssNode): Selector[] {
  if (!('children' in node) || !node.children) return []
  return [...node.children].flatMap((child) =>
    child.type === 'SelectorList' ? [...child.children].filter((each) => each.type === 'Selector') : [],
  )
}

/** Compares elements with selectors, within one shared budget. */
function createMatcher() {
  let steps = 0

  function match(element: SvgElement, compounds: readonly Compound[], at = 0): boolean {
    const compound = compounds[at]
    if (compound === undefined) return true
    steps += 1 + compound.conditions.length
    if (steps > STEPS_MAX) throw tooManyStyles()
    if (!compound.conditions.every((condition) => meets(element, condition))) return false
    const before = (next: SvgElement | null) => next !== null && match(next, compounds, at + 1)
    const beforeAny = (along: 'parent' | 'previous') => {
      for (let next = element[along]; next !== null; next = next[along]) if (before(next)) return true
      return false
    }
    if (at === compounds.length - 1) return true
    // The combinator is stored with the part on its right.
    if (compound.combinator === '>') return before(element.parent)
    if (compound.combinator === '+') return before(element.previous)
    return beforeAny(compound.combinator === '~' ? 'previous' : 'parent')
  }

  function meets(element: SvgElement, node: CssNode): boolean {
    const { name, attributes } = element
    if (node.type === 'TypeSelector') return node.name.endsWith('*') || typeName(node.name) === name
    if (node.type === 'ClassSelector') return classesOf(element).has(ident.decode(node.name))
    if (node.type === 'IdSelector') return attributes.get('id') === ident.decode(node.name)
    if (node.type === 'PseudoClassSelector') return meetsPseudoClass(element, node.name.toLowerCase(), node)
    if (node.type !== 'AttributeSelector') return false
    const value = attributes.get(ident.decode(node.name.name))
    if (value === undefined || node.value === null) return value !== undefined
    const expected = node.value.type === 'String' ? node.value.value : ident.decode(node.value.name)
    if (node.matcher === '=') return value === expected
    if (node.matcher === '~=') return value.split(/\s+/).includes(expected)
    if (node.matcher === '|=') return value === expected || value.startsWith(`${expected}-`)
    if (expected === '') return false
    if (node.matcher === '^=') return value.startsWith(expected)
    return node.matcher === '$=' ? value.endsWith(expected) : value.includes(expected)
  }

  function meetsPseudoClass(element: SvgElement, name: string, node: CssNode): boolean {
    const { parent, position } = element
    if (name === 'root') return parent === null
    if (name === 'first-child') return position === 1
    if (name === 'last-child')
      return parent?.children.findLast((child) => typeof child !== 'string') === element
    const isOneOf = () => selectorsIn(node).some((selector) => match(element, compoundsOf(selector)))
    if (name === 'not') return !isOneOf()
    if (name === 'is' || name === 'where') return isOneOf()
    const nth = name === 'nth-child' && 'children' in node ? node.children?.first : null
    if (nth?.type !== 'Nth' || nth.selector) return false
    if (nth.nth.type === 'Identifier') return position % 2 === (nth.nth.name === 'odd' ? 1 : 0)
    const [step, start] = [Number(nth.nth.a ?? 0), Number(nth.nth.b ?? 0)]
    return step === 0 ? position === start : (position - start) % step === 0 && (position - start) / step >= 0
  }
  return match
}
