import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { importsOf } from './imports.ts'
import { ROOMS } from './rooms.ts'
import { root } from './steps.ts'

const SOURCES = ['{api,shared,web}/src/**/*.{ts,tsx}']
const TESTS = ['**/*.test.{ts,tsx}', '**/testing/**']
const SMALL_LINES = 20
const CHATS = 'web/src/dashboard/chats'
const ORDER = ROOMS.web.flatMap(({ folders }) => folders?.['dashboard/chats'] ?? [])

/** Answers what `npm run check -- --sizes` prints: how much there is to read. */
export function sizes(): string {
  const texts = new Map(
    globSync(SOURCES, { cwd: root, exclude: TESTS }).map((file) => [
      file,
      readFileSync(join(root, file), 'utf8'),
    ]),
  )
  const lines = [...texts.values()].map((text) => text.split('\n').length - 1)
  const arrows = arrowsIn(CHATS, texts)
  const rows = {
    'product files': texts.size,
    [`files of at most ${SMALL_LINES} lines`]: lines.filter((count) => count <= SMALL_LINES).length,
    'product lines': lines.reduce((sum, count) => sum + count, 0),
    'files on the path of one message': filesOfPath(readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8'))
      .size,
    [`arrows between folders of ${CHATS}`]: arrows.length,
    'of these, arrows that run back up': backArrows(arrows, ORDER),
  }
  return Object.entries(rows)
    .map(([what, count]) => `${count.toLocaleString('en').padStart(7)}  ${what}`)
    .join('\n')
}

/** Finds the files that ARCHITECTURE names in the steps of its section on the path of one message. */
export function filesOfPath(text: string): Set<string> {
  const section = text.split('\n## The path of one message\n')[1]?.split('\n## ')[0] ?? ''
  const steps = section.split('\n').filter((line) => /^\d+\. /.test(line))
  return new Set(steps.join('\n').match(/(?<=`)[\w/.-]+\.tsx?(?=`)/g))
}

type Arrow = readonly [from: string, to: string]

/** Finds which of a folder's folders import each other, each pair once. */
function arrowsIn(folder: string, texts: ReadonlyMap<string, string>): Arrow[] {
  const folderOf = (file: string) => dirname(relative(folder, file)).split('/')[0] as string
  const pairs = [...texts]
    .filter(([file]) => file.startsWith(`${folder}/`))
    .flatMap(([file, text]) =>
      importsOf(file, text)
        .map((imported) => join(dirname(file), imported))
        .filter((target) => target.startsWith(`${folder}/`))
        .map((target) => `${folderOf(file)} ${folderOf(target)}`),
    )
  return [...new Set(pairs)]
    .map((pair) => pair.split(' ') as [string, string])
    .filter(([from, to]) => from !== to)
}

/** Counts the arrows from a folder to one that comes after it in `order`. A folder imports only what comes before it. */
export function backArrows(arrows: readonly Arrow[], order: readonly string[]): number {
  return arrows.filter(([from, to]) => order.indexOf(to) > order.indexOf(from)).length
}
