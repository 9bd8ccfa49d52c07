import type { Browser } from '@playwright/test'
import { becomeSlowPhone, PHONE, QUIET_MS } from './slow-phone.ts'

export const KINDS = ['HTML', 'JS', 'CSS', 'font', 'image', 'other'] as const
type Kind = (typeof KINDS)[number]

/** The first load of a page. */
export interface Visit {
  /** Largest contentful paint. */
  lcpMs: number
  /** Cumulative layout shift, of all shifts and not only of the worst five seconds. */
  cls: number
  /** Total blocking time: the part over 50 ms of each long task after the first paint. */
  tbtMs: number
  /** Transferred, including headers. */
  bytes: Record<Kind, number>
}

const LONG_TASK_MS = 50

const KIND_OF: Record<string, Kind> = {
  Document: 'HTML',
  Script: 'JS',
  Stylesheet: 'CSS',
  Font: 'font',
  Image: 'image',
}

interface Timings {
  paintedAt: number
  lcpMs: number
  cls: number
  longTasks: { from: number; ms: number }[]
}

declare global {
  interface Window {
    timings?: Timings
  }
}

export async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await becomeSlowPhone(devtools)

  const bytes: Visit['bytes'] = { HTML: 0, JS: 0, CSS: 0, font: 0, image: 0, other: 0 }
  const kinds = new Map<string, Kind>()
  let lastResponseAt = performance.now()
  devtools.on('Network.responseReceived', ({ requestId, type }) => {
    kinds.set(requestId, KIND_OF[type] ?? 'other')
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes[kinds.get(requestId) ?? 'other'] += encodedDataLength
    lastResponseAt = performance.now()
  })

  await page.addInitScript(watch)
  await page.goto(url, { waitUntil: 'networkidle' })
  while (performance.now() - lastResponseAt < QUIET_MS) await page.waitForTimeout(QUIET_MS / 10)
  const timings = await page.evaluate(() => window.timings)
  await context.close()
  if (!timings || timings.lcpMs === 0) throw new Error(`${url} painted nothing.`)
  const { lcpMs, cls, longTasks, paintedAt } = timings
  const blocking = longTasks.filter(({ from }) => from >= paintedAt).map(({ ms }) => ms - LONG_TASK_MS)
  return { lcpMs, cls, tbtMs: blocking.reduce((sum, ms) => sum + ms, 0), bytes }
}

/** Runs in the browser before any script of the page. */
function watch(): void {
  const timings: Timings = { paintedAt: 0, lcpMs: 0, cls: 0, longTasks: [] }
  window.timings = timings
  const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') timings.paintedAt = startTime
  })
  observe('largest-contentful-paint', ({ startTime }) => {
    timings.lcpMs = startTime
  })
  observe('layout-shift', (entry) => {
    timings.cls += (entry as PerformanceEntry & { value: number }).value
  })
  observe('longtask', ({ startTime, duration }) => {
    timings.longTasks.push({ from: startTime, ms: duration })
  })
}
