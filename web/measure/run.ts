/**
 * `npm run measure`: load times and transfer sizes of each public page on a slow phone. Prints medians and never
 * fails: times depend on the machine.
 *
 *   npm run measure                     every page five times, about three minutes
 *   npm run measure -- --runs 9         more often
 *   npm run measure -- --only /faq      one page (may be given several times)
 *   npm run measure -- --lighthouse     Lighthouse's four scores too; brings it by npx
 *   npm run measure -- --json           for machines
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { provideChromium } from '../../api/tools/chromium.ts'
import { Product } from '../e2e/product.ts'
import { ARTICLE, PAGES } from '../e2e/site.ts'
import { lighthouseScores, type Scores } from './lighthouse.ts'
import { KINDS, type Visit, visit } from './visit.ts'

const AIMS = { lcpMs: 1_800, cls: 0.02, tbtMs: 150 }

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: [] },
    lighthouse: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const runs = Number(options.runs)
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs ${options.runs} is not a number of runs.`)
// Exits through the exit handlers, which stop the server.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const print = (text: string) => process.stdout.write(`${text}\n`)
const executablePath = await provideChromium()
const product = await Product.start({ SEED_DEMO: 'true', RATE_LIMITS: 'off' })
try {
  const load = [loadavg()[0] ?? 0]
  const measured: { page: string; median: Visit; scores?: Scores }[] = []
  for (const page of options.only.length > 0 ? options.only : PAGES) {
    const median = medianOf(await visits(product.url(page)))
    const scores = options.lighthouse ? await lighthouseScores(executablePath, product.url(page)) : undefined
    measured.push({ page, median, scores })
    load.push(loadavg()[0] ?? 0)
  }
  if (options.json) {
    print(JSON.stringify({ date: new Date().toISOString(), runs, aims: AIMS, load, measured }, null, 2))
  } else {
    print(`| page | LCP | CLS | TBT | ${KINDS.map((kind) => `${kind} KB`).join(' | ')} | all KB |`)
    print(`|---|${'---:|'.repeat(KINDS.length + 4)}`)
    for (const { page, median } of measured) print(row(page, median))
    if (options.lighthouse) {
      print('\n| page | performance | accessibility | best practices | SEO |\n|---|---:|---:|---:|---:|')
      for (const { page, scores } of measured) print(`| ${name(page)} | ${scores?.join(' | ')} |`)
    }
    print(`\nMedians of ${runs}; a star is over ${AIMS.lcpMs} ms, ${AIMS.cls}, ${AIMS.tbtMs} ms.`)
    print(`Load average meanwhile: ${Math.min(...load).toFixed(1)} to ${Math.max(...load).toFixed(1)}.`)
  }
} finally {
  await product.dispose()
}

/** Each visit in a new browser with an empty cache. */
async function visits(url: string): Promise<Visit[]> {
  const all: Visit[] = []
  for (let run = 0; run < runs; run += 1) {
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
    all.push(await visit(browser, url))
    await browser.close()
  }
  return all
}

function medianOf(all: Visit[]): Visit {
  const median = (read: (visit: Visit) => number) => {
    const sorted = all.map(read).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  }
  return {
    lcpMs: median(({ lcpMs }) => lcpMs),
    cls: median(({ cls }) => cls),
    tbtMs: median(({ tbtMs }) => tbtMs),
    bytes: Object.fromEntries(
      KINDS.map((kind) => [kind, median(({ bytes }) => bytes[kind])]),
    ) as Visit['bytes'],
  }
}

function row(page: string, { lcpMs, cls, tbtMs, bytes }: Visit): string {
  const mark = (value: number, aim: number) => (value > aim ? ' *' : '')
  const kilobytes = [...KINDS.map((kind) => bytes[kind]), KINDS.reduce((sum, kind) => sum + bytes[kind], 0)]
  return `| ${[
    name(page),
    `${Math.round(lcpMs)} ms${mark(lcpMs, AIMS.lcpMs)}`,
    `${cls.toFixed(3)}${mark(cls, AIMS.cls)}`,
    `${Math.round(tbtMs)} ms${mark(tbtMs, AIMS.tbtMs)}`,
    ...kilobytes.map((size) => (size / 1024).toFixed(1)),
  ].join(' | ')} |`
}

function name(page: string): string {
  if (page === ARTICLE) return 'an article'
  return page.startsWith('/blog/') ? 'a post' : page
}
