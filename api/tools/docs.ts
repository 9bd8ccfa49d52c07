import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { readEnv } from '../src/env/env.ts'
import { root } from './steps.ts'

/** Broken links in the Markdown of the repository, or of a release: to a missing file or a missing heading. */
export function brokenLinks(folder = root): string[] {
  const broken: string[] = []
  for (const file of markdownFiles(folder)) {
    const path = join(folder, file)
    for (const link of linksOf(readFileSync(path, 'utf8'))) {
      const [target = '', anchor] = link.split('#')
      const linked = target ? resolve(dirname(path), decodeURIComponent(target)) : path
      const isValid = existsSync(linked) && (!anchor || headings(linked).includes(anchor))
      if (!isValid) broken.push(`${relative(folder, path)}: broken link ${link}`)
    }
  }
  return broken
}

/** Missing files that a document names in backticks, such as `api/src/app.ts`. */
export function missingFiles(): string[] {
  const missing: string[] = []
  for (const file of markdownFiles()) {
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(NAMED_FILE)) {
      if (!existsSync(join(root, name))) missing.push(`${file}: ${name} doesn't exist`)
    }
  }
  return missing
}

/** Except built files, which a fresh checkout lacks. */
const NAMED_FILE = /`((?:api|web|shared|docs|deploy)\/(?!dist\/)[\w./@-]+\.\w+)`/g

function markdownFiles(folder = root): string[] {
  return globSync('**/*.md', {
    cwd: folder,
    exclude: (path) => /(^|\/)(node_modules|dist|data|release)$/.test(path),
  })
}

/** Links into the repository. Browser tests check the links of the site's own texts. */
function linksOf(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^(https?:|mailto:|\/)/.test(link))
}

/** The anchors of a Markdown file. */
function headings(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Differences between the variables that the API reads, README's table and .env.example. */
export function environmentGaps(): string[] {
  const read = new Set<string>()
  // readEnv creates the folder and a secret in it: not in the developer's own.
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
  const inReadme = new Set(
    [...readme.matchAll(/^\| (`[A-Z][^|]*`) \|/gm)].flatMap(
      (row) => (row[1] ?? '').match(/[A-Z][A-Z0-9_]+/g) ?? [],
    ),
  )
  const example = readFileSync(join(root, '.env.example'), 'utf8')
  const inExample = new Set([...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map((row) => row[1] ?? ''))
  return [...gaps('README.md', read, inReadme), ...gaps('.env.example', read, inExample)]
}

function gaps(file: string, read: Set<string>, named: Set<string>): string[] {
  return [
    ...[...read].filter((name) => !named.has(name)).map((name) => `${file} doesn't explain ${name}`),
    ...[...named]
      .filter((name) => !read.has(name))
      .map((name) => `${file} explains ${name}, which the API doesn't read`),
  ]
}
