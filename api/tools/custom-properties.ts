import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './steps.ts'

const SOURCES = ['web/src/**/*.{css,ts,tsx}', 'web/*.html']
const TESTS = ['**/*.test.{ts,tsx}', '**/testing/**']

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g
/** CSS declares `--name:` or `@property --name`, and scripts name `'--name'`. */
const DECLARATION = /(--[\w-]+)\s*:|@property\s+(--[\w-]+)|['"`](--[\w-]+)['"`]/g
const USE_WITHOUT_FALLBACK = /var\(\s*(--[\w-]+)\s*\)/g

/** Finds the uses of custom properties that browsers would drop, in the pages' styles and scripts. */
export function undeclaredInPages(): string[] {
  const files = globSync(SOURCES, { cwd: root, exclude: TESTS }).sort()
  return undeclaredProperties(
    Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])),
  )
}

/** `sources` has texts by file. */
export function undeclaredProperties(sources: Record<string, string>): string[] {
  const texts = Object.entries(sources).map(([file, text]) => {
    // Blanks keep the lines of what follows.
    return { file, text: text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' ')) }
  })
  const declared = new Set(
    texts.flatMap(({ text }) => [...text.matchAll(DECLARATION)].map(([, ...names]) => names.find(Boolean))),
  )
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(USE_WITHOUT_FALLBACK)]
      .filter(([, name]) => !declared.has(name))
      .map(({ index, 1: name }) => {
        const line = text.slice(0, index).split('\n').length
        return `${file}:${line}: var(${name}) is declared nowhere and has no fallback`
      }),
  )
}
