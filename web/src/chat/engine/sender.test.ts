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

/** What waits, shared by the tabs, and what was delivered by which. */
function createPost(...items: string[]) {
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
      lock: 'post',
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
    const post = createPost('a', 'b', 'c')
    const senders = [post.tab(browser.open(), 'one'), post.tab(browser.open(), 'two')]
    for (const sender of senders) sender.wake()
    await vi.waitFor(() => expect(post.waiting).toEqual([]))
    expect(post.delivered).toEqual(['one a', 'one b', 'one c'])
    expect(post.tried).toEqual(['a', 'b', 'c'])
    expect(post.mostAtOnce).toBe(1)
  })

  it('takes up what is added while it comes to rest', async () => {
    const delivered: string[] = []
    const waiting = ['a']
    let late: string | undefined = 'b'
    const sender = createSender<string>({
      tab: new Browser().open(),
      lock: 'post',
      onFailure: () => {},
      next() {
        if (waiting.length === 0 && late) {
          const item = late
          late = undefined
          queueMicrotask(() => {
            waiting.push(item)
            sender.wake()
          })
        }
        return waiting[0]
      },
      async deliver(item) {
        delivered.push(item)
        waiting.shift()
      },
    })
    sender.wake()
    await vi.waitFor(() => expect(delivered).toEqual(['a', 'b']))
  })

  it('tries again after a pause that grows to half a minute', async () => {
    const post = createPost('a')
    post.fail(new AppError('unavailable', 'away'))
    post.tab(new Browser().open(), 'one').wake()
    for (let tries = 1; tries < 10; tries++) {
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
      await vi.advanceTimersToNextTimerAsync()
      await vi.waitFor(() => expect(post.tried.length).toBe(tries + 1))
    }
    const pauses = post.triedAt.slice(1).map((at, index) => at - (post.triedAt[index] ?? 0))
    expect(pauses[0]).toBeLessThanOrEqual(1_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000)
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(15_000)
  })

  it('lets another tab try while it pauses', async () => {
    const browser = new Browser()
    const post = createPost('a')
    post.fail(new AppError('unavailable', 'away'))
    post.tab(browser.open(), 'one').wake()
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    post.fail(null)
    post.tab(browser.open(), 'two').wake()
    await vi.waitFor(() => expect(post.delivered).toEqual(['two a']))
  })

  it('tries at once when the way may be free, unless the server asked for a pause', async () => {
    const post = createPost('a')
    const sender = post.tab(new Browser().open(), 'one')
    post.fail(new AppError('unavailable', 'away'))
    sender.wake()
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    post.fail(new AppError('rate-limited', 'slower', { retryAfterMs: 60_000 }))
    sender.hurry()
    await vi.waitFor(() => expect(post.tried.length).toBe(2))
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    post.fail(null)
    sender.hurry()
    sender.wake()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(post.tried.length).toBe(2)
    await vi.advanceTimersByTimeAsync(1_000)
    await vi.waitFor(() => expect(post.delivered).toEqual(['one a']))
  })

  it('goes without the lock when nobody lets go of it', async () => {
    const browser = new Browser()
    const post = createPost('a')
    const frozen = browser.open()
    const { promise, resolve } = Promise.withResolvers<void>()
    void frozen.locks?.request('post', {}, () => promise)
    const abort = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(abort.signal)
    post.tab(browser.open(), 'two').wake()
    abort.abort()
    await vi.waitFor(() => expect(post.delivered).toEqual(['two a']))
    timeout.mockRestore()
    resolve()
  })

  it('stops trying when it is halted, and goes on when it is woken', async () => {
    const post = createPost('a')
    const sender = post.tab(new Browser().open(), 'one')
    post.fail(new AppError('unavailable', 'away'))
    sender.wake()
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    sender.halt()
    expect(vi.getTimerCount()).toBe(0)
    post.fail(null)
    sender.wake()
    await vi.waitFor(() => expect(post.delivered).toEqual(['one a']))
  })
})
