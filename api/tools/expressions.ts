import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import * as limits from '@proctorpass/shared/limits'
import { parseSync, Visitor } from 'oxc-parser'
import type { checkSync } from 'recheck'
import { root } from './steps.ts'

// The build in plain JavaScript gives the same result on every platform, without a child process.
const recheck: { checkSync: typeof checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js')

interface Expression {
  source: string
  flags: string
  /** File and line. */
  place: string
}

const SOURCES = ['api/src/**/*.ts', 'shared/src/**/*.ts', 'web/src/**/*.{ts,tsx}']
const TESTS = ['**/*.test.{ts,tsx}', '**/testing/**']
/** Constants of shared/src/limits.ts with such names hold an expression as text. */
const PATTERN = /_PATTERN$/
/** The slowest check takes some seconds. */
const TIMEOUT_MS = 120_000
const CACHE_FOLDER = join(root, 'node_modules/.cache')
const CACHE = join(CACHE_FOLDER, 'linear-expressions.json')

/**
 * Finds the product's regular expressions that take more than linear time or cannot be checked.
 * @see docs/decisions/0037-linear-regular-expressions.md
 */
function slowExpressions(): string[] {
  const problems: string[] = []
  const expressions: Expression[] = patternsIn(limits)
  for (const file of globSync(SOURCES, { cwd: root, exclude: TESTS })) {
    const found = expressionsIn(file, readFileSync(join(root, file), 'utf8'))
    expressions.push(...found.expressions)
    problems.push(...found.problems)
  }
  const linear = readCache()
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

function patternsIn(constants: object): Expression[] {
  return Object.entries(constants).flatMap(([name, source]) =>
    PATTERN.test(name) ? ['', 'u'].map((flags) => ({ source: String(source), flags, place: name })) : [],
  )
}

function keyOf({ source, flags }: Expression): string {
  return `/${source}/${flags}`
}

/** Says why an expression is not known to be linear; null when it is. */
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

/** Finds the expressions in a source file, and the places that build one dynamically, which cannot be checked. */
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

/** Reads the expressions that this machine found linear. Judging all of them takes more than a minute. */
function readCache(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(CACHE, 'utf8')))
  } catch {
    return new Set()
  }
}

// This runs in a process of its own, because one verdict takes a processor up to some seconds.
if (import.meta.main) {
  const problems = slowExpressions()
  if (problems.length > 0) console.log(problems.join('\n'))
  process.exitCode = Math.min(problems.length, 1)
}
