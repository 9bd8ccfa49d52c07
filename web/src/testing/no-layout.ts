import { vi } from 'vitest'

/** What jsdom lacks because it lays nothing out. Every element is 0 by 0 pixels; the screen is wide unless told. */
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
