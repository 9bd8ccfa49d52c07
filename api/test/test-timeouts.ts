import { vi } from 'vitest'

// `vi.waitFor` may take as long as the test, because a busy machine is no failure; and it asks often.
const waitFor = vi.waitFor
vi.waitFor = (condition, options = {}) =>
  waitFor(condition, {
    ...{ timeout: 20_000, interval: 10 },
    ...(typeof options === 'number' ? { timeout: options } : options),
  })
