import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LOOK_EVERY_MS } from '../../test/watched-jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createJobs, type Jobs, LEASE_MS } from './jobs.ts'

const T0 = Date.UTC(2026, 0, 1)
let storage: Storage
let now = T0
let nodes: Jobs[] = []
const errors: object[] = []

function node(options: Partial<Parameters<typeof createJobs>[0]> = {}): Jobs {
  const jobs = createJobs({ jobs: storage.jobs, now: () => now, lookEveryMs: LOOK_EVERY_MS, ...options })
  nodes.push(jobs)
  return jobs
}
const infos: string[] = []
const start = (jobs: Jobs) =>
  jobs.start({
    info: (_context, message) => void infos.push(message),
    error: (context) => void errors.push(context),
  })
const job = (key: string, dueAt = T0) => ({ key, kind: 'test', clientId: null, dueAt, data: 0 })

beforeEach(() => {
  storage = openSqlite(':memory:')
  now = T0
  nodes = []
  errors.length = 0
  infos.length = 0
})
afterEach(async () => {
  await Promise.all(nodes.map((jobs) => jobs.close()))
  await storage.close()
})

it('runs a due job once on one of two nodes', async () => {
  const runs: string[] = []
  for (const name of ['a', 'b']) {
    const jobs = node()
    jobs.handle('test', async () => {
      runs.push(name)
      return null
    })
    start(jobs)
  }
  for (let n = 0; n < 5; n++) await nodes[0]?.schedule(job(`job ${n}`))
  await vi.waitFor(() => expect(runs).toHaveLength(5), { timeout: 5_000 })
  expect(
    await storage.jobs.claim({ now: now + 10 * LEASE_MS, leaseUntil: now, limits: { test: 10 } }),
  ).toEqual([])
})

it('runs a job again that its handler keeps, with its data', async () => {
  const seen: unknown[] = []
  const jobs = node()
  jobs.handle('test', async ({ job: { data } }) => {
    seen.push(data)
    return seen.length < 3 ? { dueAt: now, data: seen.length } : null
  })
  start(jobs)
  await jobs.schedule(job('a'))
  await vi.waitFor(() => expect(seen).toEqual([0, 1, 2]), { timeout: 8_000 })
})

it('repeats a failed job later, and logs it', async () => {
  let runs = 0
  const jobs = node()
  jobs.handle('test', async () => {
    runs += 1
    if (runs < 3) throw new Error('no luck')
    return null
  })
  start(jobs)
  await jobs.schedule(job('a'))
  await vi.waitFor(() => expect(errors).toHaveLength(1), { timeout: 5_000 })
  // No key, which can contain a clientId.
  expect(errors[0]).toEqual({ err: new Error('no luck'), kind: 'test', attempts: 1 })
  now += 2_000
  await vi.waitFor(() => expect(errors).toHaveLength(2), { timeout: 5_000 })
  now += 4_000
  await vi.waitFor(() => expect(runs).toBe(3), { timeout: 5_000 })
})

it('keeps what a failed run saved', async () => {
  const seen: unknown[] = []
  const jobs = node()
  jobs.handle('test', async ({ job: { data }, save }) => {
    seen.push(data)
    if (data === 'half') return null
    await save('half')
    throw new Error('no luck')
  })
  start(jobs)
  await jobs.schedule(job('a'))
  await vi.waitFor(() => expect(errors).toHaveLength(1), { timeout: 5_000 })
  now += 2_000
  await vi.waitFor(() => expect(seen).toEqual([0, 'half']), { timeout: 5_000 })
})

it('leaves the jobs of a dead node to another one, which continues from the saved progress', async () => {
  const dead = node()
  let hang: (() => void) | undefined
  dead.handle('test', async ({ save }) => {
    await save('half')
    await new Promise<void>((resolve) => {
      hang = resolve
    })
    await save('too late')
    return null
  })
  start(dead)
  await dead.schedule(job('a'))
  await vi.waitFor(() => expect(hang).toBeDefined(), { timeout: 5_000 })
  // It looks for no further jobs.
  const closing = dead.close()
  const found: unknown[] = []
  let monotonic = 0
  const other = node({ monotonic: () => monotonic })
  other.handle('test', async ({ job: { data } }) => {
    found.push(data)
    return null
  })
  const looks = vi.spyOn(storage.jobs, 'claimed')
  const lookAgain = async () => {
    const before = looks.mock.calls.length
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(before + 1), { timeout: 5_000 })
  }
  start(other)
  await lookAgain()
  // However late a look is, it counts for a third.
  for (let third = 1; third <= 3; third += 1) {
    expect(found).toEqual([])
    monotonic += 10 * LEASE_MS
    await lookAgain()
  }
  await vi.waitFor(() => expect(found).toEqual(['half']), { timeout: 5_000 })
  hang?.()
  await closing
  // Nothing is wrong with a node that only stood still.
  expect([infos, errors]).toEqual([['another node has claimed this job'], []])
})

it('keeps a job that takes longer than its lease', async () => {
  const runs: string[] = []
  let end: (() => void) | undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const leaseMs = 300
  for (const jobs of [node({ leaseMs }), node({ leaseMs })]) {
    jobs.handle('test', async ({ job: { key } }) => {
      runs.push(key)
      if (key === 'a') await ended
      return null
    })
    start(jobs)
  }
  await nodes[0]?.schedule(job('a'))
  await vi.waitFor(() => expect(runs).toEqual(['a']), { timeout: 5_000 })
  const renewed = vi.spyOn(storage.jobs, 'renew')
  for (let n = 1; n <= 3; n++) {
    const before = renewed.mock.calls.length
    now += leaseMs - 1
    const stored = () => renewed.mock.settledResults.filter(({ type }) => type === 'fulfilled')
    await vi.waitFor(() => expect(stored().length).toBeGreaterThan(before), { timeout: 5_000 })
  }
  // Both have looked again.
  await nodes[0]?.schedule(job('b'))
  await vi.waitFor(() => expect(runs).toEqual(['a', 'b']), { timeout: 5_000 })
  end?.()
  await vi.waitFor(
    async () =>
      expect(await storage.jobs.claim({ now: now * 2, leaseUntil: 0, limits: { test: 9 } })).toEqual([]),
    { timeout: 5_000 },
  )
  expect(errors).toEqual([])
})

it.each([-45_000, 45_000])(
  'runs a job once though the clock of another node differs by %i ms',
  async (differs) => {
    const runs: string[] = []
    const held = Promise.withResolvers<null>()
    const first = node({ now: () => now + differs })
    const second = node()
    for (const [name, jobs] of [
      ['first', first],
      ['second', second],
    ] as const) {
      jobs.handle('test', () => {
        runs.push(name)
        return held.promise
      })
    }
    start(first)
    await first.schedule(job('a', now - 60_000))
    await vi.waitFor(() => expect(runs).toEqual(['first']))
    const looks = vi.spyOn(storage.jobs, 'claimed')
    start(second)
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(20))
    expect(runs).toEqual(['first'])
    held.resolve(null)
  },
)

it('continues at once after a restart where no other process uses the store', async () => {
  const killed = node()
  const held = Promise.withResolvers<null>()
  const running = Promise.withResolvers<void>()
  killed.handle('test', () => {
    running.resolve()
    return held.promise
  })
  start(killed)
  await killed.schedule(job('a'))
  await running.promise
  const closing = killed.close()
  const found: unknown[] = []
  const restarted = node({ isAlone: true })
  restarted.handle('test', async ({ job: { attempts } }) => {
    found.push(attempts)
    return null
  })
  start(restarted)
  await vi.waitFor(() => expect(found).toEqual([2]))
  held.resolve(null)
  await closing
})

it('runs a job once when the clock of its node is set forwards', async () => {
  const jobs = node()
  const held = Promise.withResolvers<null>()
  let runs = 0
  jobs.handle('test', async ({ save }) => {
    runs += 1
    await held.promise
    await save('half')
    return null
  })
  start(jobs)
  await jobs.schedule(job('a'))
  await vi.waitFor(() => expect(runs).toBe(1))
  const looked = vi.spyOn(storage.jobs, 'claim')
  now += 24 * 60 * 60 * 1_000
  await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(2))
  held.resolve(null)
  await jobs.close()
  expect([runs, errors]).toEqual([1, []])
  expect(await storage.jobs.claim({ now: now * 2, leaseUntil: 0, limits: { test: 9 } })).toEqual([])
})

it('runs all that is due after one look, however many at once', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  try {
    const jobs = node()
    const all = Promise.withResolvers<void>()
    let runs = 0
    jobs.handle('test', async () => {
      runs += 1
      if (runs === 40) all.resolve()
      return null
    })
    for (let n = 0; n < 40; n++) await jobs.schedule(job(`job ${n}`))
    start(jobs)
    vi.advanceTimersToNextTimer()
    await all.promise
    await jobs.close()
  } finally {
    vi.useRealTimers()
  }
})

it('keeps no kind waiting for another one', async () => {
  const jobs = node()
  const held = Promise.withResolvers<null>()
  let hanging = 0
  jobs.handle('hangs', () => {
    hanging += 1
    return held.promise
  })
  const runs: string[] = []
  jobs.handle('test', async ({ job: { key } }) => {
    runs.push(key)
    return null
  })
  for (let n = 0; n < 20; n++) await jobs.schedule({ ...job(`hangs ${n}`), kind: 'hangs' })
  start(jobs)
  await vi.waitFor(() => expect(hanging).toBe(5), { timeout: 5_000 })
  await jobs.schedule(job('a'))
  await vi.waitFor(() => expect(runs).toEqual(['a']), { timeout: 5_000 })
  expect(hanging).toBe(5)
  const closing = jobs.close()
  held.resolve(null)
  await closing
})

it('leaves a kind without a handler to a node that has one', async () => {
  const [without, other] = [node(), node()]
  const looked = vi.spyOn(storage.jobs, 'claim')
  without.handle('other', async () => null)
  start(without)
  await without.schedule(job('a'))
  await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(1), { timeout: 5_000 })
  let runs = 0
  other.handle('test', async () => {
    runs += 1
    return null
  })
  start(other)
  await vi.waitFor(() => expect(runs).toBe(1), { timeout: 5_000 })
})

it('schedules later what the store cannot take yet', async () => {
  const jobs = node()
  let runs = 0
  jobs.handle('test', async () => {
    runs += 1
    return null
  })
  const refused = vi.spyOn(storage.jobs, 'schedule').mockRejectedValue(new Error('The store is away.'))
  jobs.scheduleLater(job('a'))
  start(jobs)
  await vi.waitFor(() => expect(refused.mock.calls.length).toBeGreaterThan(1), { timeout: 5_000 })
  refused.mockRestore()
  await vi.waitFor(() => expect(runs).toBe(1), { timeout: 5_000 })
})

it('schedules the earliest of the jobs with one key that wait for the store', async () => {
  const jobs = node()
  const schedule = vi.spyOn(storage.jobs, 'schedule')
  for (const dueAt of [T0 + 3, T0 + 1, T0 + 2]) jobs.scheduleLater(job('a', dueAt))
  jobs.scheduleLater(job('b'))
  start(jobs)
  await vi.waitFor(() => expect(schedule).toHaveBeenCalledTimes(2), { timeout: 5_000 })
  expect(schedule.mock.calls.flat()).toEqual([job('a', T0 + 1), job('b')])
})

it('runs a job again whose run had read before it was scheduled, and got its new claim', async () => {
  let isOpen = true
  const done: string[] = []
  const goesOn = Promise.withResolvers<void>()
  const jobs = node()
  jobs.handle('test', async () => {
    done.push(isOpen ? 'what there was' : 'nothing')
    isOpen = false
    if (done.length === 1) await goesOn.promise
    return null
  })
  start(jobs)
  await jobs.schedule(job('a'))
  await vi.waitFor(() => expect(done).toHaveLength(1), { timeout: 5_000 })
  // Another node takes the job over, because this one was stopped, and ends it.
  const [held] = await storage.jobs.claimed(now, ['test'])
  const taken = held && (await storage.jobs.takeOver(held, now + 2 * LEASE_MS))
  expect(taken && (await storage.jobs.finish(taken, now))).toBe(true)
  isOpen = true
  await jobs.schedule(job('a'))
  await vi.waitFor(async () => expect(await storage.jobs.claimed(now, ['test'])).toHaveLength(1), {
    timeout: 5_000,
  })
  goesOn.resolve()
  await vi.waitFor(() => expect(done).toEqual(['what there was', 'what there was']), { timeout: 5_000 })
})
