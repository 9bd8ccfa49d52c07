import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import * as limits from '@proctorpass/shared/limits'
import { parseSync, Visitor } from 'oxc-parser'
import type { checkSync } from 'recheck'
import { sourcesBefore } from './sources-before.ts'
import { root } from './steps.ts'

// The build in plain JavaScript: the same result on every platform, without a child process.
const recheck: { checkSync: typeof checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js')

interface Expression {
  source: string
  flags: string
  /** File and line. */
  place: string
}

const SOURCES = ['api/src/**/*.ts', 'shared/src/**/*.ts', 'web/src/**/*.{ts,tsx}']
const TESTS = ['**/*.test.{ts,tsx}', '**/testing/**']
/** The constants of shared/src/limits.ts that hold an expression as text. */
const PATTERN = /_PATTERN$/
/** The slowest check takes some seconds. */
const TIMEOUT_MS = 120_000
/** A change of one of these can change each verdict. */
const JUDGES = ['package-lock.json', 'api/tools/expressions.ts']
/** It imports nothing. */
const LIMITS = 'shared/src/limits.ts'
const CACHE_FOLDER = join(root, 'node_modules/.cache')
const CACHE = join(CACHE_FOLDER, 'linear-expressions.json')

/**
 * The product's regular expressions that take more than linear time or cannot be checked. Without `all`, only new ones:
 * see `sourcesBefore`.
 * @see docs/decisions/0037-linear-regular-expressions.md
 */
export async function slowExpressions({ all }: { all: boolean }): Promise<string[]> {
  const problems: string[] = []
  const expressions: Expression[] = patternsIn(limits)
  for (const file of globSync(SOURCES, { cwd: root, exclude: TESTS })) {
    const found = expressionsIn(file, readFileSync(join(root, file), 'utf8'))
    expressions.push(...found.expressions)
    problems.push(...found.problems)
  }
  const linear = new Set([...readCache(), ...(all ? [] : await expressionsBefore())])
  const known = new Set<string>()
  for (const expression of expressions) {
    const key = keyOf(expression)
    const problem = linear.has(key) ? null : slowness(expression)
    if (problem === null) known.add(key)
    else problems.push(`${expression.place}: ${key} ${problem}`)
  }
  mkdirSync(CACHE_FOLDER, { recursive: true })
  writeFileSync(CACHE, JSON.stringify([...known]))
  return problems
}

/** None when they cannot be known, or what judges them has changed. */
async function expressionsBefore(): Promise<string[]> {
  const before = sourcesBefore(root)
  if (before === null || before.changed(JUDGES).length > 0) return []
  const patterns = patternsIn(await import(urlOf(before.text(LIMITS) ?? '')))
  const changed = new Set(before.changed(['api', 'shared', 'web']))
  const found = globSync(SOURCES, { cwd: root, exclude: TESTS }).flatMap((file) => {
    const text = changed.has(file) ? before.text(file) : readFileSync(join(root, file), 'utf8')
    return text === null ? [] : expressionsIn(file, text).expressions
  })
  return [...patterns, ...found].map(keyOf)
}

function urlOf(module: string): string {
  return `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(module))}`
}

function patternsIn(constants: object): Expression[] {
  return Object.entries(constants).flatMap(([name, source]) =>
    PATTERN.test(name) ? ['', 'u'].map((flags) => ({ source: String(source), flags, place: name })) : [],
  )
}

function keyOf({ source, flags }: Expression): string {
  return `/${source}/${flags}`
}

/** Why an expression is not known to be linear; null when it is. */
export function slowness({ source, flags }: Pick<Expression, 'source' | 'flags'>): string | null {
  const result = recheck.checkSync(source, flags, { timeout: TIMEOUT_MS })
  if (result.status === 'safe') return null
  if (result.status === 'vulnerable') {
    if (result.complexity.isFuzz && isQuick(new RegExp(source, flags), result.attack.string)) return null
    return `isn't linear: ${result.complexity.summary}`
  }
  return `can't be checked (${result.error.kind}): write a simpler one`
}

/**
 * recheck's fuzzing gives false positives for some lookbehinds. Its attack string takes seconds when it succeeds, and
 * milliseconds when it does not.
 */
function isQuick(expression: RegExp, attack: string): boolean {
  return [1, 2, 3].some(() => {
    const started = performance.now()
    expression.lastIndex = 0
    expression.test(attack)
    return performance.now() - started < 500
  })
}

/** The expressions in a source file, and the places that build one dynamically, which cannot be checked. */
export function expressionsIn(file: string, text: string): { expressions: Expression[]; problems: string[] } {
  const expressions: Expression[] = []
  const problems: string[] = []
  const placeOf = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`
  const checkConstructor = ({ callee, arguments: args, start }: Call) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return
    if (args[0]?.type === 'Identifier' && PATTERN.test(String(args[0].name))) return
    problems.push(`${placeOf(start)}: write a literal, or a constant _PATTERN in shared/src/limits.ts`)
  }
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      expressions.push({ source: pattern, flags, place: placeOf(node.start) })
    },
    Property({ key, value, start }) {
      if (key.type !== 'Identifier' || key.name !== 'pattern') return
      if (value.type === 'Literal' && typeof value.value === 'string') {
        expressions.push({ source: value.value, flags: 'u', place: placeOf(start) })
      }
    },
    NewExpression: checkConstructor,
    CallExpression: checkConstructor,
  }).visit(parseSync(file, text).program)
  return { expressions, problems }
}

interface Call {
  callee: { type: string; name?: unknown }
  arguments: { type: string; name?: unknown }[]
  start: number
}

/** Expressions that were found linear before: one check takes up to seconds. */
function readCache(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(CACHE, 'utf8')))
  } catch {
    return new Set()
  }
}
