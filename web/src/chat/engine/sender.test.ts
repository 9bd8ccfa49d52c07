// @vitest-environment node
import { AppError } from '@proctorpass/shared/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSender } from './sender.ts'
import type { Tab } from './tab.ts'
import { Browser } from './testing/browser.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A queue that the tabs share, and what each tab delivered. */
function createQueue(...items: string[]) {
  const waiting = [...items]
  const delivered: string[] = []
  const tried: string[] = []
  const triedAt: number[] = []
  let underWay = 0
  let mostAtOnce = 0
  let failWith: unknown = null

  function tab(tab: Tab, name: string) {
    return createSender<string>({
      tab,
      lock: 'queue',
      next: () => waiting[0],
      onFailure: () => {},
      async deliver(item) {
        tried.push(item)
        triedAt.push(performance.now())
        mostAtOnce = Math.max(mostAtOnce, ++underWay)
        await new Promise<void>(queueMicrotask)
        underWay--
        if (failWith) throw failWith
        delivered.push(`${name} ${item}`)
        waiting.splice(waiting.indexOf(item), 1)
      },
    })
  }
  return {
    waiting,
    delivered,
    tried,
    triedAt,
    tab,
    get mostAtOnce() {
      return mostAtOnce
    },
    fail(error: unknown) {
      failWith = error
    },
  }
}

describe('sender', () => {
  it('delivers in order, one at a time, from one tab', async () => {
    const browser = new Browser()
    const queue = createQueue('a', 'b', 'c')
    const senders = [queue.tab(browser.open(), 'one'), queue.tab(browser.open(), 'two')]
    for (const sender of senders) sender.run()
    await vi.waitFor(() => expect(queue.waiting).toEqual([]))
    expect(queue.delivered).toEqual(['one a', 'one b', 'one c'])
    expect(queue.tried).toEqual(['a', 'b', 'c'])
    expect(queue.mostAtOnce).toBe(1)
  })

  it('delivers an item that is added while it finishes', async () => {
    const delivered: string[] = []
    const waiting = ['a']
    let late: string | undefined = 'b'
    const sender = createSender<string>({
      tab: new Browser().open(),
      lock: 'queue',
      onFailure: () => {},
      next() {
        if (waiting.length === 0 && late) {
          const item = late
          late = undefined
          queueMicrotask(() => {
            waiting.push(item)
            sender.run()
          })
        }
        return waiting[0]
      },
      async deliver(item) {
        delivered.push(item)
        waiting.shift()
      },
    })
    sender.run()
    await vi.waitFor(() => expect(delivered).toEqual(['a', 'b']))
  })

  it('retries after a pause that grows to half a minute', async () => {
    const queue = createQueue('a')
    queue.fail(new AppError('unavailable', 'away'))
    queue.tab(new Browser().open(), 'one').run()
    for (let tries = 1; tries < 10; tries++) {
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
      await vi.advanceTimersToNextTimerAsync()
      await vi.waitFor(() => expect(queue.tried.length).toBe(tries + 1))
    }
    const pauses = queue.triedAt.slice(1).map((at, index) => at - (queue.triedAt[index] ?? 0))
    expect(pauses[0]).toBeLessThanOrEqual(1_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000)
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(15_000)
  })

  it('releases the lock while it pauses', async () => {
    const browser = new Browser()
    const queue = createQueue('a')
    queue.fail(new AppError('unavailable', 'away'))
    queue.tab(browser.open(), 'one').run()
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    queue.fail(null)
    queue.tab(browser.open(), 'two').run()
    await vi.waitFor(() => expect(queue.delivered).toEqual(['two a']))
  })

  it('retries at once when told to, unless the server asked for a pause', async () => {
    const queue = createQueue('a')
    const sender = queue.tab(new Browser().open(), 'one')
    queue.fail(new AppError('unavailable', 'away'))
    sender.run()
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    queue.fail(new AppError('rate-limited', 'slower', { retryAfterMs: 60_000 }))
    sender.retryNow()
    await vi.waitFor(() => expect(queue.tried.length).toBe(2))
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    queue.fail(null)
    sender.retryNow()
    sender.run()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(queue.tried.length).toBe(2)
    await vi.advanceTimersByTimeAsync(1_000)
    await vi.waitFor(() => expect(queue.delivered).toEqual(['one a']))
  })

  it('delivers without the lock when a frozen tab holds it', async () => {
    const browser = new Browser()
    const queue = createQueue('a')
    const frozen = browser.open()
    const { promise, resolve } = Promise.withResolvers<void>()
    void frozen.locks?.request('queue', {}, () => promise)
    const abort = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(abort.signal)
    queue.tab(browser.open(), 'two').run()
    abort.abort()
    await vi.waitFor(() => expect(queue.delivered).toEqual(['two a']))
    timeout.mockRestore()
    resolve()
  })

  it('stops retrying when it is stopped, and resumes when it runs again', async () => {
    const queue = createQueue('a')
    const sender = queue.tab(new Browser().open(), 'one')
    queue.fail(new AppError('unavailable', 'away'))
    sender.run()
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    sender.stop()
    expect(vi.getTimerCount()).toBe(0)
    queue.fail(null)
    sender.run()
    await vi.waitFor(() => expect(queue.delivered).toEqual(['one a']))
  })
})
