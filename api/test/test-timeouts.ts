import { vi } from 'vitest'

// `vi.waitFor` may take as long as the test, because a busy machine is no failure.
const waitFor = vi.waitFor
vi.waitFor = (condition, options = { timeout: 20_000 }) => waitFor(condition, options)
