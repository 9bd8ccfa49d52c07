/**
 * `npm run measure`: load times and transfer sizes of each public page on a slow phone, and what opening the chat costs
 * there. Prints medians and never fails: times depend on the machine.
 *
 *   npm run measure                     every page five times, about three minutes
 *   npm run measure -- --runs 9         more often
 *   npm run measure -- --only /faq      one page (may be given several times), and the chat on the first of them
 *   npm run measure -- --list           only scrolling the list of 10,000 conversations in the dashboard
 *   npm run measure -- --lighthouse     Lighthouse's four scores too; brings it by npx
 *   npm run measure -- --json           for machines
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { provideChromium } from '../../api/tools/chromium.ts'
import { FreshProduct } from '../e2e/product.ts'
import { ARTICLE, PAGES } from '../e2e/site.ts'
import { lighthouseScores, type Scores } from './lighthouse.ts'
import { type Opening, openChat } from './open-chat.ts'
import { fillList, scrollList } from './scroll-list.ts'
import { KINDS, type Visit, visit } from './visit.ts'

const AIMS = { lcpMs: 1_800, cls: 0.02, tbtMs: 150, openingMs: 400, openingTaskMs: 50, frameMs: 1_000 / 60 }
const LIST_ROWS = 10_000

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
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
const product = await FreshProduct.start({ SEED_DEMO: 'true', RATE_LIMITS: 'off' })
try {
  if (options.list) await measureList()
  else await measurePages()
} finally {
  await product.dispose()
}

async function measureList(): Promise<void> {
  await fillList(product, LIST_ROWS)
  const all = await inNewBrowsers((browser) => scrollList(browser, product, LIST_ROWS))
  const of = (value: (each: (typeof all)[number]) => number) => median(all.map(value))
  const scrolling = {
    framesPerSecond: of(({ framesPerSecond }) => framesPerSecond),
    frameMs: of(({ frameMs }) => frameMs),
    longestMs: of(({ longestMs }) => longestMs),
  }
  if (options.json) {
    print(JSON.stringify({ date: new Date().toISOString(), runs, scrolling }, null, 2))
    return
  }
  const { framesPerSecond, frameMs, longestMs } = scrolling
  print(`Scrolling the list of ${LIST_ROWS} conversations: ${framesPerSecond.toFixed(0)} frames a second,`)
  print(`${frameMs.toFixed(1)} ms of main thread each${mark(frameMs, AIMS.frameMs)} (aim 16.7).`)
  print(`Its longest task: ${longestMs.toFixed(1)} ms. Load average: ${loadavg()[0]?.toFixed(1)}.`)
}

async function measurePages(): Promise<void> {
  const load = [loadavg()[0] ?? 0]
  const measured: { page: string; median: Visit; scores?: Scores }[] = []
  const pages = options.only.length > 0 ? options.only : PAGES
  for (const page of pages) {
    const median = medianOf(await inNewBrowsers((browser) => visit(browser, product.url(page))))
    const scores = options.lighthouse ? await lighthouseScores(executablePath, product.url(page)) : undefined
    measured.push({ page, median, scores })
    load.push(loadavg()[0] ?? 0)
  }
  const chatUrl = product.url(pages[0] ?? '/')
  const chat = medianOpening(await inNewBrowsers((browser) => openChat(browser, chatUrl)))
  load.push(loadavg()[0] ?? 0)
  if (options.json) {
    const date = new Date().toISOString()
    print(JSON.stringify({ date, runs, aims: AIMS, load, measured, chat }, null, 2))
  } else {
    print(`| page | LCP | CLS | TBT | ${KINDS.map((kind) => `${kind} KB`).join(' | ')} | all KB |`)
    print(`|---|${'---:|'.repeat(KINDS.length + 4)}`)
    for (const { page, median } of measured) print(row(page, median))
    if (options.lighthouse) {
      print('\n| page | performance | accessibility | best practices | SEO |\n|---|---:|---:|---:|---:|')
      for (const { page, scores } of measured) print(`| ${name(page)} | ${scores?.join(' | ')} |`)
    }
    const ms = (value: number, aim: number) => `${Math.round(value)} ms${mark(value, aim)}`
    print(`\nOpening the chat: ${ms(chat.mainMs, AIMS.openingMs)} of main thread (aim ${AIMS.openingMs}).`)
    print(`Its longest task: ${ms(chat.longestMs, AIMS.openingTaskMs)} (aim ${AIMS.openingTaskMs}).`)
    print(`\nMedians of ${runs}; a star is over ${AIMS.lcpMs} ms, ${AIMS.cls}, ${AIMS.tbtMs} ms.`)
    print(`Load average meanwhile: ${Math.min(...load).toFixed(1)} to ${Math.max(...load).toFixed(1)}.`)
  }
}

/** Each run in a new browser with an empty cache. */
async function inNewBrowsers<Result>(measure: (browser: Browser) => Promise<Result>): Promise<Result[]> {
  const all: Result[] = []
  for (let run = 0; run < runs; run += 1) {
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
    all.push(await measure(browser))
    await browser.close()
  }
  return all
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function medianOf(all: Visit[]): Visit {
  return {
    lcpMs: median(all.map(({ lcpMs }) => lcpMs)),
    cls: median(all.map(({ cls }) => cls)),
    tbtMs: median(all.map(({ tbtMs }) => tbtMs)),
    bytes: Object.fromEntries(
      KINDS.map((kind) => [kind, median(all.map(({ bytes }) => bytes[kind]))]),
    ) as Visit['bytes'],
  }
}

function medianOpening(all: Opening[]): Opening {
  return {
    mainMs: median(all.map(({ mainMs }) => mainMs)),
    longestMs: median(all.map(({ longestMs }) => longestMs)),
  }
}

function mark(value: number, aim: number): string {
  return value > aim ? ' *' : ''
}

function row(page: string, { lcpMs, cls, tbtMs, bytes }: Visit): string {
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
