import { afterEach } from 'vitest'

// A test fails when anything logs a warning or an error, also where the code under test would catch a throw. A test
// that expects one replaces the method with vi.spyOn.
const logged: Error[] = []
function record(...values: unknown[]): void {
  // jsdom does not know the element.
  if (String(values[0]).startsWith('The tag <%s> is unrecognized') && values[1] === 'search') return
  logged.push(new Error(`Unexpected console output: ${values.map(String).join(' ')}`))
}
console.error = record
console.warn = record

const cleanup = typeof document === 'undefined' ? null : (await import('@testing-library/react')).cleanup

afterEach(() => {
  cleanup?.()
  const [first] = logged.splice(0)
  if (first) throw first
})
