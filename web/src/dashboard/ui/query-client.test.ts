import { QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { createQueryClient } from './query-client.ts'

test('what changes during the first read is read again', async () => {
  const queryClient = createQueryClient()
  const answers: ((answer: string) => void)[] = []
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve))
  const observer = new QueryObserver(queryClient, { queryKey: ['visitor'], queryFn })
  const unsubscribe = observer.subscribe(() => {})
  const invalidated = [1, 2].map(() => queryClient.invalidateQueries({ queryKey: ['visitor'] }))
  answers[0]?.('before')
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(1))
  answers.at(-1)?.('after')
  await Promise.all(invalidated)
  expect(observer.getCurrentResult().data).toBe('after')
  unsubscribe()
})
