import { vi } from 'vitest'

// A condition that a test waits for has as long as the test: a busy machine is no failure.
const waitFor = vi.waitFor
vi.waitFor = (condition, options = { timeout: 20_000 }) => waitFor(condition, options)
