import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { CDPSession, Page } from '@playwright/test'
import { build } from 'vite'
import { Hosts, Widget } from '../../web/e2e/embed-hosts.ts'
import { alternate, type Benchmark, quantile, type Result } from './benchmark.ts'

const RUNS = 5
const CPU_SLOWDOWN = 4
/** A page of a few words is at rest after so long. */
const REST_MS = 1_500
/** What opening costs is counted from the press for so long. */
const OPENING_MS = 3_500
const KB = 1_024
const AIMS = { loaderBytes: 4 * KB, loaderMs: 20, openingBytes: 115 * KB, openingMs: 450 }
const WEB = join(import.meta.dirname, '../../web')
const BROTLI = { 'content-encoding': 'br' }

interface Phase {
  /** The time in which main threads of page and frame ran. */
  mainMs: number
  /** Bodies of answers as they came over the line, without the page itself. */
  bytes: number
  /** Without the page itself. */
  requests: number
}

interface Visit {
  lcpMs: number
  /** Of all layout shifts, also while the panel opens. */
  cls: number
  loading: Phase
  /** From the press on. Nothing on the page without a launcher. */
  opening: Phase
  /** Of the script, added to a page at rest: that of the whole page would hide it. */
  loaderMs: number
  /** The same on a page that is not slowed down, times the slowdown: what a processor so slow would take. */
  loaderTimesMs: number
}

type Side = 'with' | 'without' | 'least'

/** The chat on a page of another website, beside a script that makes one frame with React in it. */
export const embed: Benchmark = {
  name: 'embed',
  onlyByName: true,
  async run({ quick }) {
    // One main thread, because the slowdown of the page does not reach frames of other processes.
    const hosts = await Hosts.start({ oneProcess: true })
    try {
      hosts.serve('/with', hosts.tag)
      hosts.serve('/without', '')
      await serveLeast(hosts)
      return results(
        await alternate(quick ? 1 : RUNS, {
          with: () => visit(hosts, 'with'),
          without: () => visit(hosts, 'without'),
          least: () => visit(hosts, 'least'),
        }),
      )
    } finally {
      await hosts.stop()
    }
  },
}

function results(found: Record<Side, Visit[]>): Result[] {
  const all = (side: Side, value: (visit: Visit) => number) => found[side].map(value)
  const median = (side: Side, value: (visit: Visit) => number) => quantile(all(side, value), 0.5)
  const ofLoader = (side: Side, value: (visit: Visit) => number) =>
    median(side, value) - median('without', value)
  const loaderMs = (side: Side) => ofLoader(side, (each) => each.loaderMs)
  const loaderTimesMs = (side: Side) => ofLoader(side, (each) => each.loaderTimesMs)
  const ms = (value: number) => `${value.toFixed(1)} ms`
  const kilobytes = (value: number) => `${(value / KB).toFixed(1)} KB`
  const atMost = (what: string, value: number, aim: number, text: (value: number) => string): Result => ({
    kind: 'finding',
    what,
    value: text(value),
    aim: `<= ${text(aim)}`,
    met: value <= aim,
  })
  const besideLeast = (what: string, unit: string, value: (visit: Visit) => number): Result => ({
    kind: 'comparison',
    what: `${what}, against the bare minimum`,
    unit,
    subject: all('with', value),
    reference: all('least', value),
  })

  const loaderBytes = median('with', ({ loading }) => loading.bytes)
  const openingMs = median('with', ({ opening }) => opening.mainMs)
  const openingBytes = median('with', ({ opening }) => opening.bytes)
  const requests = median('with', ({ loading }) => loading.requests)
  const shift = Math.max(...all('with', ({ cls }) => cls))
  return [
    atMost('loader: bytes', loaderBytes, AIMS.loaderBytes, kilobytes),
    besideLeast('loader: bytes', 'KB', ({ loading }) => loading.bytes / KB),
    atMost('loader: main thread', loaderMs('with'), AIMS.loaderMs, ms),
    {
      kind: 'figure',
      what: 'loader: main thread, against the bare minimum',
      value: ms(loaderMs('with')),
      against: ms(loaderMs('least')),
    },
    {
      kind: 'figure',
      what: `loader: main thread at full speed, times ${CPU_SLOWDOWN}, against the bare minimum`,
      value: ms(loaderTimesMs('with')),
      against: ms(loaderTimesMs('least')),
    },
    atMost('requests until opened', requests, 1, String),
    atMost('opening: bytes', openingBytes, AIMS.openingBytes, kilobytes),
    besideLeast('opening: bytes', 'KB', ({ opening }) => opening.bytes / KB),
    besideLeast('opening: requests', 'requests', ({ opening }) => opening.requests),
    atMost('opening: main thread', openingMs, AIMS.openingMs, ms),
    besideLeast('opening: main thread', 'ms', ({ opening }) => opening.mainMs),
    { kind: 'finding', what: 'layout shift', value: shift.toFixed(3), aim: '0', met: shift === 0 },
    {
      kind: 'comparison',
      what: 'largest contentful paint, with and without',
      unit: 'ms',
      subject: all('with', ({ lcpMs }) => lcpMs),
      reference: all('without', ({ lcpMs }) => lcpMs),
    },
  ]
}

const NOTHING = { mainMs: 0, bytes: 0, requests: 0 }

async function visit(hosts: Hosts, side: Side): Promise<Visit> {
  const addLoader = async (page: Page, devtools: CDPSession) => {
    await page.goto(hosts.url('/without'))
    // Else what Playwright puts into the page is measured, too.
    await page.evaluate((text) => text, '')
    await page.waitForTimeout(REST_MS)
    const { mainMs } = await measure(devtools, async () => {
      await page.evaluate(addScript, scriptOf(hosts, side))
      await page.waitForTimeout(REST_MS)
    })
    return mainMs
  }
  const loaderMs = await inSlowPage(hosts, CPU_SLOWDOWN, addLoader)
  const loaderTimesMs = CPU_SLOWDOWN * (await inSlowPage(hosts, 1, addLoader))
  return inSlowPage(hosts, CPU_SLOWDOWN, async (page, devtools) => {
    await page.addInitScript(watch)
    const loading = await measure(devtools, async () => {
      await page.goto(hosts.url(`/${side}`))
      await page.waitForTimeout(REST_MS)
    })
    const open = async () => {
      await new Widget(page).press()
      await page.waitForTimeout(OPENING_MS)
    }
    const opening = side === 'without' ? NOTHING : await measure(devtools, open)
    if (!(await isOpen(page, side))) throw new Error(`Within ${OPENING_MS} ms nothing opened on /${side}.`)
    const { lcpMs, cls } = await page.evaluate(() => (window as unknown as { seen: Seen }).seen)
    return { lcpMs, cls, loading, opening, loaderMs, loaderTimesMs }
  })
}

async function inSlowPage<T>(
  hosts: Hosts,
  slowdown: number,
  act: (page: Page, devtools: CDPSession) => Promise<T>,
): Promise<T> {
  const context = await hosts.browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    return await act(page, devtools)
  } finally {
    await context.close()
  }
}

function scriptOf(hosts: Hosts, side: Side): string {
  if (side === 'with') return `${hosts.origin('chat.test')}/embed/${hosts.site._id}.js`
  return hosts.url(side === 'least' ? '/least-loader.js' : '/empty.js', 'evil.test')
}

/** Runs in the browser. */
function addScript(src: string): void {
  document.head.append(Object.assign(document.createElement('script'), { src }))
}

async function isOpen(page: Page, side: Side): Promise<boolean> {
  if (side === 'without') return true
  const [, frame] = page.frames()
  return (await frame?.locator(side === 'with' ? '.chat-input' : 'b').isVisible()) ?? false
}

type Seen = Pick<Visit, 'lcpMs' | 'cls'>

/** Runs in the browser before any script of the page. */
function watch(): void {
  const seen: Seen = { lcpMs: 0, cls: 0 }
  Object.assign(window, { seen })
  const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  observe('largest-contentful-paint', ({ startTime }) => {
    seen.lcpMs = startTime
  })
  observe('layout-shift', (entry) => {
    seen.cls += (entry as PerformanceEntry & { value: number }).value
  })
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds in which the thread ran. */
  tdur?: number
  args?: { name?: string }
}

interface Asked {
  requestId: string
  documentURL: string
  request: { url: string }
}

async function measure(devtools: CDPSession, act: () => Promise<void>): Promise<Phase> {
  const events: TraceEvent[] = []
  const onTrace = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]))
  const others = new Set<string>()
  let bytes = 0
  const onRequest = ({ requestId, documentURL, request }: Asked) => {
    const isPage = request.url === documentURL && new URL(documentURL).hostname === 'shop.test'
    if (!isPage) others.add(requestId)
  }
  // What has come by then is the head of the answer.
  const onHead = ({
    requestId,
    response,
  }: {
    requestId: string
    response: { encodedDataLength: number }
  }) => {
    if (others.has(requestId)) bytes -= response.encodedDataLength
  }
  const onEnd = ({ requestId, encodedDataLength }: { requestId: string; encodedDataLength: number }) => {
    if (others.has(requestId)) bytes += encodedDataLength
  }
  devtools.on('Tracing.dataCollected', onTrace)
  devtools.on('Network.requestWillBeSent', onRequest)
  devtools.on('Network.responseReceived', onHead)
  devtools.on('Network.loadingFinished', onEnd)
  await devtools.send('Network.enable')
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'] },
  })
  await act()
  const complete = new Promise<void>((resolve) => devtools.once('Tracing.tracingComplete', () => resolve()))
  await devtools.send('Tracing.end')
  await complete
  devtools.off('Tracing.dataCollected', onTrace)
  devtools.off('Network.requestWillBeSent', onRequest)
  devtools.off('Network.responseReceived', onHead)
  devtools.off('Network.loadingFinished', onEnd)
  return { mainMs: mainThreadMs(events), bytes, requests: others.size }
}

function mainThreadMs(events: TraceEvent[]): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  )
  const tasks = events.filter(
    (event) => event.name === 'ThreadControllerImpl::RunTask' && mainThreads.has(threadOf(event)),
  )
  if (tasks.length === 0) throw new Error('The trace has no task of a page.')
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur / 1_000, 0)
}

/** A button where our launcher stands, and a frame where our panel does. */
async function serveLeast(hosts: Hosts): Promise<void> {
  const at = (path: string) => hosts.url(path, 'evil.test')
  const loader = `const button = document.createElement('button')
button.style.cssText = 'position:fixed;right:24px;bottom:24px;width:56px;height:56px'
button.onclick = () => {
  const frame = document.createElement('iframe')
  frame.style.cssText = 'position:fixed;right:24px;bottom:92px;width:384px;height:640px'
  frame.src = '${at('/least-frame')}'
  document.body.append(frame)
}
document.body.append(button)`
  const script = { ...BROTLI, 'content-type': 'text/javascript' }
  hosts.serveAsIs('/empty.js', brotliCompressSync(''), script)
  hosts.serve('/least', `<script async src="${at('/least-loader.js')}"></script>`)
  hosts.serveAsIs('/least-loader.js', brotliCompressSync(loader), script)
  const frame = '<!doctype html><p id="root"></p><script src="/least-react.js"></script>'
  hosts.serveAsIs('/least-frame', brotliCompressSync(frame), BROTLI)
  hosts.serveAsIs('/least-react.js', brotliCompressSync(await leastReact()), script)
}

/** React, and one element that it renders. */
async function leastReact(): Promise<string> {
  const id = 'virtual:least'
  const code = `import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
createRoot(document.getElementById('root')).render(createElement('b', null, 'Hello'))`
  const built = await build({
    configFile: false,
    root: WEB,
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { input: id, output: { format: 'iife' } } },
    plugins: [
      {
        name: 'least-react',
        resolveId: (asked) => (asked === id ? id : null),
        load: (asked) => (asked === id ? code : null),
      },
    ],
  })
  const [output] = [built].flat()
  if (!output || !('output' in output)) throw new Error('The build made no script.')
  return output.output[0].code
}
