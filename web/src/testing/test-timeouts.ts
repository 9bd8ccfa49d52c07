import { configure } from '@testing-library/react'
import { vi } from 'vitest'

// Conditions may take as long as the test: a busy machine is slow.
const waitFor = vi.waitFor
vi.waitFor = (condition, options = { timeout: 20_000 }) => waitFor(condition, options)
configure({ asyncUtilTimeout: 20_000 })
