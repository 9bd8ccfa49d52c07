import { AppError } from '@proctorpass/shared/errors'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBatches } from './batches.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function open(step: () => Promise<boolean>) {
  const errors: string[] = []
  const log = { error: (_details: object, message: string) => errors.push(message) }
  const pause = (more: boolean) => (more ? 50 : null)
  return { errors, batches: createBatches({ step, pause, log: () => log, failure: 'a batch failed' }) }
}

it('plans the next batch while there is more to do', async () => {
  const step = vi.fn(async () => step.mock.calls.length < 3)
  const { batches } = open(step)
  batches.schedule(10)
  batches.schedule(0)
  await vi.advanceTimersByTimeAsync(9)
  expect(step).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(51)
  expect(step).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(step).toHaveBeenCalledTimes(3)
})

it('brings a planned batch forward, and never puts it off', async () => {
  const step = vi.fn(async () => false)
  const { batches } = open(step)
  batches.schedule(1_000)
  batches.expedite(10)
  batches.expedite(500)
  batches.schedule(0)
  await vi.advanceTimersByTimeAsync(9)
  expect(step).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(step).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(step).toHaveBeenCalledTimes(1)
})

it('begins no second batch while one is under way', async () => {
  let end = (_more: boolean) => {}
  const step = vi.fn(
    () =>
      new Promise<boolean>((resolve) => {
        end = resolve
      }),
  )
  const { batches } = open(step)
  batches.schedule(0)
  await vi.advanceTimersByTimeAsync(0)
  batches.expedite(10)
  await vi.advanceTimersByTimeAsync(1_000)
  end(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(step).toHaveBeenCalledTimes(1)
})

it('repeats a batch that failed, and logs it unless the store is away', async () => {
  const problems = [new Error('a bug'), new AppError('unavailable', 'The store is away.')]
  const step = vi.fn(async () => {
    const problem = problems.shift()
    if (problem !== undefined) throw problem
    return false
  })
  const { batches, errors } = open(step)
  batches.schedule(0)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(step).toHaveBeenCalledTimes(2)
  expect(errors).toEqual(['a batch failed'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(step).toHaveBeenCalledTimes(3)
})

it('runs one after another, and none once it is closed', async () => {
  const { batches } = open(async () => false)
  const order: string[] = []
  let end = () => {}
  const first = batches.exclusively(async () => {
    await new Promise<void>((resolve) => {
      end = resolve
    })
    order.push('first')
    throw new Error('a bug')
  })
  const second = batches.exclusively(async () => order.push('second'))
  await vi.advanceTimersByTimeAsync(0)
  end()
  expect([await first, await second, order]).toEqual([undefined, 2, ['first', 'second']])
  await batches.close()
  expect(await batches.exclusively(async () => order.push('third'))).toBeUndefined()
  expect(order).toHaveLength(2)
})
