import type { Browser } from '@playwright/test'
import { Admin } from '../e2e/people.ts'
import type { Product } from '../e2e/product.ts'
import { someClientId } from '../e2e/test.ts'

/** What scrolling the admins' list of conversations costs, on a desktop. */
export interface Scrolling {
  framesPerSecond: number
  /** Main thread time of a frame, without the time that other processes took from it. */
  frameMs: number
  /** The longest task. */
  longestMs: number
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  ts: number
  /** Microseconds in which the thread ran. */
  tdur?: number
}

const FRAMES = 600
const STEP_PX = 120
const POSTED_AT_ONCE = 20
const MARK = 'scrolling'

/** Conversations that wait, one message each. */
export async function fillList(product: Product, count: number): Promise<void> {
  let left = count
  const post = async () => {
    while (left-- > 0) await product.post(someClientId(), `Question ${left} about an exam, with some words`)
  }
  await Promise.all(Array.from({ length: POSTED_AT_ONCE }, post))
}

/** Loads all rows first, so that none arrive while they are scrolled. */
export async function scrollList(browser: Browser, product: Product, count: number): Promise<Scrolling> {
  const viewport = { width: 1280, height: 800 }
  const admin = await Admin.signIn(browser, product, '/dashboard/chats', { viewport })
  const { page } = admin
  const list = page.locator('.conversations')
  const table = list.getByRole('table')
  while ((await table.getAttribute('aria-rowcount')) !== String(count + 1)) {
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await page.waitForTimeout(50)
  }
  await list.evaluate((element) => element.scrollTo(0, 0))

  const devtools = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
  })
  const tookMs = await list.evaluate(scroll, { frames: FRAMES, step: STEP_PX, mark: MARK })
  const complete = new Promise<void>((resolve) => devtools.once('Tracing.tracingComplete', () => resolve()))
  await devtools.send('Tracing.end')
  await complete
  await admin.leave()

  const begin = events.find(({ name }) => name === MARK)
  if (!begin) throw new Error('The trace has no beginning.')
  const tasks = events
    .filter(({ pid, tid, name }) => pid === begin.pid && tid === begin.tid && name.endsWith('::RunTask'))
    .filter(({ ts }) => ts >= begin.ts)
    .map(({ tdur = 0 }) => tdur / 1_000)
  return {
    framesPerSecond: (FRAMES * 1_000) / tookMs,
    frameMs: tasks.reduce((sum, ms) => sum + ms, 0) / FRAMES,
    longestMs: Math.max(0, ...tasks),
  }
}

/** Runs in the browser. */
async function scroll(
  element: Element,
  { frames, step, mark }: { frames: number; step: number; mark: string },
): Promise<number> {
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
  const began = await frame()
  performance.mark(mark)
  let now = began
  for (let at = 0; at < frames; at += 1) {
    element.scrollBy(0, step)
    now = await frame()
  }
  return now - began
}
