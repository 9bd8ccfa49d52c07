import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

// A test during which anything warns or complains fails, also where the code under test would swallow a throw.
// One that expects a complaint replaces the method with vi.spyOn.
const complaints: Error[] = []
function complain(...said: unknown[]): void {
  complaints.push(new Error(`The console was complained to: ${said.map(String).join(' ')}`))
}
console.error = complain
console.warn = complain

afterEach(() => {
  if (typeof document !== 'undefined') cleanup()
  const [first] = complaints.splice(0)
  if (first) throw first
})
