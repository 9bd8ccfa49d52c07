import type { CssNode, Value } from 'css-tree'
import generate from 'css-tree/generator'
import parse from 'css-tree/parser'
import { ident } from 'css-tree/utils'
import { FUNCTIONS } from './svg-vocabulary.ts'
import { refusedSvg } from './wrong-file.ts'

/** The longest value, also after its variables were replaced. Lists of fonts are the longest values. */
const LENGTH_MAX = 4_000
const DEPTH_MAX = 8
/** Matches values that need no parser. */
const PLAIN = /^[\w#.,%+\s-]*$/
/** Matches what the parser may have let through although it is forbidden: a second line of defense. */
const UNEXPECTED = /url\((?!#)|[\\<>{}@;]|\/\*|expression|javascript:|data:/i
const HOSTILE = /url\s*\(|expression\s*\(|javascript:|data:/i

export interface CleanValue {
  text: string
  /** The IDs that the value refers to, under their new names. */
  ids: string[]
  /** The number of functions that the value calls. */
  calls: number
}

/** Cleans the values of CSS properties. `idFor` returns an ID's new name. */
export function createValues(idFor: (id: string) => string) {
  const known = new Map<string, CleanValue | null>()

  /**
   * Returns a value that loads and runs nothing; null if it is unreadable. Throws an AppError if it refers to another
   * file.
   */
  function clean(value: string): CleanValue | null {
    const found = known.get(value)
    if (found !== undefined) return found
    const cleaned = PLAIN.test(value) ? { text: value.trim(), ids: [], calls: 0 } : parsed(value)
    known.set(value, cleaned)
    return cleaned
  }

  function parsed(value: string): CleanValue | null {
    if (value.length > LENGTH_MAX) return null
    const ast = parsedValue(value)
    if (ast === null) return null
    const ids: string[] = []
    let calls = 0
    const isAllowed = (node: CssNode, depth: number): boolean => {
      if (depth > DEPTH_MAX) return false
      if (node.type === 'Url') {
        if (!node.value.startsWith('#')) throw refusedSvg('a reference to another file')
        const id = idFor(node.value.slice(1))
        ids.push(id)
        node.value = `#${id}`
        return true
      }
      if (node.type === 'Function') {
        calls += 1
        if (/^(?:url|src|image|image-set|-webkit-image-set)$/i.test(node.name)) {
          throw refusedSvg('a reference to another file')
        }
        return (
          FUNCTIONS.has(node.name.toLowerCase()) &&
          [...node.children].every((each) => isAllowed(each, depth + 1))
        )
      }
      if (node.type === 'Parentheses') return [...node.children].every((each) => isAllowed(each, depth + 1))
      return LEAVES.has(node.type)
    }
    if (![...ast.children].every((node) => isAllowed(node, 0))) return null
    const text = generate(ast)
    return UNEXPECTED.test(text) ? null : { text, ids, calls }
  }

  return { clean }
}

const LEAVES = new Set(['String', 'Identifier', 'Number', 'Dimension', 'Percentage', 'Hash', 'Operator'])

/**
 * Parses a value; null if it is unreadable. Throws an AppError if an unreadable value may be meant to load or run
 * something.
 */
function parsedValue(value: string): Value | null {
  const onParseError = (error: Error) => {
    throw error
  }
  try {
    const ast = parse(value, { context: 'value', onParseError })
    if (ast.type === 'Value') return ast
  } catch {
    // The value is refused below.
  }
  if (HOSTILE.test(ident.decode(value))) throw refusedSvg('a style that could load or run something')
  return null
}

const FONT_SIZE = /^([\d.]+(?:px|pt|em|rem|ex|mm|cm|in|pc|%)|(?:xx?-)?(?:small|large)|medium)(?:\/|$)/i

/** Splits `font` into the properties that it stands for; empty for a font that the system names. */
export function fontParts(value: string): [name: string, value: string][] {
  const all = value.slice(0, LENGTH_MAX).trim().split(/\s+/)
  const at = all.findIndex((word) => FONT_SIZE.test(word))
  const [, size = ''] = FONT_SIZE.exec(all[at] ?? '') ?? []
  // A slash, with or without spaces around it, comes before the line height.
  let next = at + 1
  if (all[at]?.endsWith('/') || all[next] === '/') next += all[next] === '/' ? 2 : 1
  else if (all[next]?.startsWith('/')) next += 1
  const family = all.slice(next).join(' ')
  if (size === '' || family === '') return []
  const words = all.slice(0, at).map((word) => word.toLowerCase())
  const find = (pattern: RegExp) => words.find((word) => pattern.test(word)) ?? 'normal'
  return [
    ['font-style', find(/^(?:italic|oblique)$/)],
    ['font-variant', find(/^small-caps$/)],
    ['font-weight', find(/^(?:bold|bolder|lighter|[1-9]00)$/)],
    ['font-size', size],
    ['font-family', family],
  ]
}

/**
 * Replaces a value's variables, and each pair of colors with its light one, because images have no color scheme of
 * their own. Null if a variable has no value, or if the value gets too long.
 */
export function withVariables(
  value: string,
  variables: ReadonlyMap<string, string>,
  depth = 0,
): string | null {
  const call = /\b(?:var|light-dark)\(/i.exec(value)
  if (call === null) return value
  if (depth > 4 * DEPTH_MAX || value.length > LENGTH_MAX) return null
  const start = call.index + call[0].length
  const { comma, end } = argumentsOf(value, start)
  if (end === null) return null
  const first = value.slice(start, comma ?? end).trim()
  const second = comma === null ? null : value.slice(comma + 1, end).trim()
  const own = call[0].toLowerCase() === 'light-dark(' ? first : (variables.get(first) ?? second)
  return own === null
    ? null
    : withVariables(value.slice(0, call.index) + own + value.slice(end + 1), variables, depth + 1)
}

/** Returns where the first argument ends, and where the call ends. */
function argumentsOf(value: string, start: number): { comma: number | null; end: number | null } {
  let depth = 0
  let comma: number | null = null
  for (let at = start; at < value.length; at += 1) {
    const sign = value[at]
    if (sign === '(') depth += 1
    else if (sign === ')' && depth === 0) return { comma, end: at }
    else if (sign === ')') depth -= 1
    else if (sign === ',' && depth === 0) comma ??= at
  }
  return { comma, end: null }
}
