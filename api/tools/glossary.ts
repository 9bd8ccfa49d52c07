import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { root } from './steps.ts'

const GLOSSARY = 'docs/GLOSSARY.md'
const FILES = ['{api,shared,web}/**/*.{ts,tsx,mjs}', '*.ts', 'docs/**/*.md']
const EXCLUDED = ['**/node_modules/**', '**/dist/**', '**/CHANGELOG.md', GLOSSARY]

/** Where sources and documents use a word that the glossary replaces. */
export function replacedWordUses(): string[] {
  const replaced = replacedWords(readFileSync(join(root, GLOSSARY), 'utf8'))
  return globSync(FILES, { cwd: root, exclude: EXCLUDED })
    .sort()
    .flatMap((file) => usesIn(file, readFileSync(join(root, file), 'utf8'), replaced))
}

/** The words in backticks in the last column of the glossary, each with the terms to use. */
export function replacedWords(glossary: string): Map<string, string[]> {
  const words = new Map<string, string[]>()
  for (const [, term = '', last = ''] of glossary.matchAll(/^\| ([^|]+) \|.*\|([^|]+)\|$/gm)) {
    for (const [, word = ''] of last.matchAll(/`([^`]+)`/g)) {
      words.set(word, [...(words.get(word) ?? []), term])
    }
  }
  return words
}

/** A word of a text, or one part of a name in camelCase. */
const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})/gu

/** Uses in the identifiers and comments of a source file, or in a document outside code. */
export function usesIn(file: string, source: string, replaced: Map<string, string[]>): string[] {
  const passages = file.endsWith('.md') ? [{ text: source, start: 0 }] : passagesOf(file, source)
  const uses = new Set<string>()
  for (const { text, start } of passages) {
    // Code in a text names what the code defines.
    const prose = text.replace(/```.*?```|`[^`\n]*`/gs, (code) => ' '.repeat(code.length))
    for (const { 0: word, index } of prose.matchAll(WORD)) {
      const terms = replaced.get(word.toLowerCase())
      if (terms === undefined) continue
      const line = source.slice(0, start + index).split('\n').length
      uses.add(`${file}:${line}: "${word}" isn't a term: use ${terms.join(' or ')}`)
    }
  }
  return [...uses]
}

function passagesOf(file: string, source: string): { text: string; start: number }[] {
  const { program, comments } = parseSync(file, source)
  const passages = comments.map(({ value, start }) => ({ text: value, start: start + 2 }))
  const add = ({ name, start }: { name: string; start: number }) => void passages.push({ text: name, start })
  new Visitor({ Identifier: add, PrivateIdentifier: add, JSXIdentifier: add }).visit(program)
  return passages
}
