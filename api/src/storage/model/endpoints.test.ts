import { expect, it } from 'vitest'
import { openRetries, type RetryRecord } from './endpoints.ts'
import type { Rows } from './plain-table.ts'

it('stores a retry that another process removes meanwhile', async () => {
  let stored = true
  const rows: Partial<Rows<RetryRecord>> = {
    async insert() {
      if (stored) return false
      stored = true
      return true
    },
    async update() {
      stored = false
      return 'missing'
    },
  }
  const retries = openRetries(rows as Rows<RetryRecord>)
  await retries.put({ endpoint: 'a'.repeat(24), subject: 'one', event: 1, attempts: 1, dueAt: 1 })
  expect(stored).toBe(true)
})
