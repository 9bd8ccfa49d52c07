import { AppError } from '@proctorpass/shared/errors'
import { expect, it } from 'vitest'
import type { Storage } from '../storage/model/storage.ts'
import { watchReports } from './watch-reports.ts'

it.each(['append', 'change', 'rate'] as const)(
  'derives a conversation again after a failed %s',
  async (call) => {
    const changed: string[] = []
    // It may be stored: only its answer was lost.
    const fail = async () => {
      throw new AppError('unavailable', 'The store is away.')
    }
    const { messages, inbox } = watchReports(
      {
        messages: { append: fail },
        conversations: {},
        inbox: { change: fail, rate: fail },
      } as unknown as Storage,
      {
        changed: (clientId) => changed.push(clientId),
        erasing: async () => [],
        erased: async () => {},
      },
    )
    const calls: Record<typeof call, () => Promise<unknown>> = {
      append: () => messages.append({ clientId: 'one' } as never),
      change: () => inbox.change('one', {}, {} as never),
      rate: () => inbox.rate('one', {} as never, {} as never),
    }
    await expect(calls[call]()).rejects.toThrow('away')
    expect(changed).toEqual(['one'])
  },
)
