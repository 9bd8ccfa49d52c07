import { vi } from 'vitest'

/** Stubs what jsdom lacks without layout. Elements are 0 by 0 pixels; the screen is wide by default. */
export function withoutLayout(options: { small?: boolean } = {}): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  )
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: options.small === true && query.includes('max-width'),
    addEventListener() {},
    removeEventListener() {},
  }))
}
