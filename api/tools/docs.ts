import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { readEnv } from '../src/env.ts'
import { root } from './steps.ts'

/** Links of the repository's Markdown that lead nowhere: to a missing file or to a missing heading. */
export function brokenLinks(): string[] {
  const broken: string[] = []
  for (const file of markdownFiles()) {
    const path = join(root, file)
    for (const link of linksOf(readFileSync(path, 'utf8'))) {
      const [target = '', anchor] = link.split('#')
      const linked = target ? resolve(dirname(path), decodeURIComponent(target)) : path
      const leadsSomewhere = existsSync(linked) && (!anchor || headings(linked).includes(anchor))
      if (!leadsSomewhere) broken.push(`${relative(root, path)}: ${link} leads nowhere`)
    }
  }
  return broken
}

/** Files that a document names in backticks, such as `api/src/app.ts`, and that are not there. */
export function missingFiles(): string[] {
  const missing: string[] = []
  for (const file of markdownFiles()) {
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(NAMED_FILE)) {
      if (!existsSync(join(root, name))) missing.push(`${file}: there is no ${name}`)
    }
  }
  return missing
}

const NAMED_FILE = /`((?:api|web|shared|docs|deploy)\/[\w./@-]+\.\w+)`/g

function markdownFiles(): string[] {
  return globSync('**/*.md', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|data)$/.test(path),
  })
}

/** Links into the repository: where those of the site's own texts lead, browser tests try. */
function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^(https?:|mailto:|\/)/.test(link))
}

/** The anchors that a Markdown file offers. */
function headings(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Differences between the names that the API reads from its environment, README's table and .env.example. */
export function environmentGaps(): string[] {
  const read = new Set<string>()
  // The folder is made, and a secret in it: not in the one of whoever works here.
  const dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-docs-'))
  readEnv(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get(_, name) {
          read.add(String(name))
          return name === 'DATA_DIR' ? dataDir : undefined
        },
      },
    ),
  )
  rmSync(dataDir, { recursive: true })
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const written = new Set(
    [...readme.matchAll(/^\| (`[A-Z][^|]*`) \|/gm)].flatMap(
      (row) => (row[1] ?? '').match(/[A-Z][A-Z0-9_]+/g) ?? [],
    ),
  )
  const example = readFileSync(join(root, '.env.example'), 'utf8')
  const offered = new Set([...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map((row) => row[1] ?? ''))
  return [...gaps('README.md', read, written), ...gaps('.env.example', read, offered)]
}

function gaps(file: string, read: Set<string>, named: Set<string>): string[] {
  return [
    ...[...read].filter((name) => !named.has(name)).map((name) => `${file} does not explain ${name}`),
    ...[...named]
      .filter((name) => !read.has(name))
      .map((name) => `${file} explains ${name}, which nothing reads`),
  ]
}
