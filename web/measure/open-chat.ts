import type { Browser } from '@playwright/test'
import { becomeSlowPhone, PHONE, QUIET_MS } from './slow-phone.ts'

/** What a tap on the chat's button costs the main thread, until the chat is connected and at rest. */
export interface Opening {
  /** The time in which the main thread ran, not the time that other processes took from it. */
  mainMs: number
  /** The longest task after the first frame that answers the tap. */
  longestMs: number
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds. */
  ts: number
  /** Microseconds in which the thread ran. */
  tdur?: number
}

const TAPPED = 'chat tapped'
const ANSWERED = 'tap answered'

export async function openChat(browser: Browser, url: string): Promise<Opening> {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await becomeSlowPhone(devtools)
  let lastFrameAt = performance.now()
  for (const event of ['Network.responseReceived', 'Network.webSocketFrameReceived'] as const)
    devtools.on(event, () => {
      lastFrameAt = performance.now()
    })
  const settle = async () => {
    lastFrameAt = performance.now()
    while (performance.now() - lastFrameAt < QUIET_MS) await page.waitForTimeout(QUIET_MS / 10)
  }

  await page.goto(url, { waitUntil: 'networkidle' })
  await settle()
  const button = page.getByRole('button', { name: /^Live chat/ })
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.evaluate(markTap, { tapped: TAPPED, answered: ANSWERED })

  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
  })
  await page.touchscreen.tap(x + width / 2, y + height / 2)
  await settle()
  const complete = new Promise<void>((resolve) => devtools.once('Tracing.tracingComplete', () => resolve()))
  await devtools.send('Tracing.end')
  await complete
  const connected = await page.getByRole('dialog').getByText('Connected').isVisible()
  await context.close()
  if (!connected) throw new Error(`The chat of ${url} did not open.`)
  return summarize(events)
}

/** Runs in the browser. */
function markTap({ tapped, answered }: { tapped: string; answered: string }): void {
  window.addEventListener(
    'pointerdown',
    () => {
      performance.mark(tapped)
      window.addEventListener(
        'click',
        () => requestAnimationFrame(() => setTimeout(() => performance.mark(answered))),
        { capture: true, once: true },
      )
    },
    { capture: true, once: true },
  )
}

function summarize(events: TraceEvent[]): Opening {
  const mark = (name: string) => {
    const found = events.find((event) => event.name === name)
    if (!found) throw new Error(`The trace has no "${name}".`)
    return found
  }
  const { pid, tid, ts } = mark(TAPPED)
  const answeredAt = mark(ANSWERED).ts
  const tasks = events.filter(
    (event) => event.pid === pid && event.tid === tid && event.name === 'ThreadControllerImpl::RunTask',
  )
  const ranAfter = (from: number) =>
    tasks.filter((task) => task.ts >= from).map(({ tdur = 0 }) => tdur / 1_000)
  return {
    mainMs: ranAfter(ts).reduce((sum, ms) => sum + ms, 0),
    longestMs: Math.max(0, ...ranAfter(answeredAt)),
  }
}
