import { expect, it } from 'vitest'
import { createSemaphore } from './semaphore.ts'

/** Operations that end when the test says so. */
function setUp(options: Partial<Parameters<typeof createSemaphore>[0]>) {
  const semaphore = createSemaphore({ atOnce: 2, waitingMax: 9, refusal: 'Full.', ...options })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, caller?: { key?: string; first?: boolean }) =>
    semaphore(() => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }, caller)
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { run, started, end }
}

it('runs waiting operations in order, and refuses beyond its bounds', async () => {
  const { run, started, end } = setUp({ atOnce: 1, waitingMax: 2 })
  const done = [run('a'), run('b'), run('c')]
  await expect(run('d')).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 2_000 })
  for (const name of ['a', 'b', 'c']) await end(name)
  await Promise.all(done)
  expect(started).toEqual(['a', 'b', 'c'])
})

it('lets others pass those of a key that has reached its bounds', async () => {
  const { run, started, end } = setUp({ ofKey: { atOnce: 1, waitingMax: 2 } })
  const key = 'slow'
  const done = [run('slow 1', { key }), run('slow 2', { key }), run('slow 3', { key }), run('other')]
  await expect(run('slow 4', { key })).rejects.toMatchObject({ code: 'unavailable' })
  expect(started).toEqual(['slow 1', 'other'])
  await end('other')
  expect(started).toEqual(['slow 1', 'other'])
  await end('slow 1')
  expect(started).toEqual(['slow 1', 'other', 'slow 2'])
  await end('slow 2')
  await end('slow 3')
  await Promise.all(done)
})

it('serves those of `first` before all that wait', async () => {
  const { run, started, end } = setUp({ atOnce: 1 })
  const done = [
    run('running'),
    run('visitor'),
    run('admin 1', { first: true }),
    run('admin 2', { first: true }),
  ]
  for (const name of ['running', 'admin 1', 'admin 2', 'visitor']) await end(name)
  await Promise.all(done)
  expect(started).toEqual(['running', 'admin 1', 'admin 2', 'visitor'])
})

it('goes on after an operation that failed', async () => {
  const { run, end } = setUp({ atOnce: 1 })
  const semaphore = createSemaphore({ atOnce: 1, waitingMax: 1, refusal: 'Full.' })
  await expect(semaphore(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await semaphore(async () => 'yes')).toBe('yes')
  const done = run('a')
  await end('a')
  await done
})
