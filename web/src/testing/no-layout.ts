import { vi } from 'vitest'

/** Reports the body once, in the next frame. Elements without a size have no first report. */
class OneReport {
  readonly #report: () => void
  #frame = 0

  constructor(report: () => void) {
    this.#report = report
  }

  observe(element: Element) {
    if (element === document.body) this.#frame = requestAnimationFrame(() => this.#report())
  }

  unobserve() {}

  disconnect() {
    cancelAnimationFrame(this.#frame)
  }
}

/** Stubs what jsdom lacks without layout. Elements are 0 by 0 pixels; the screen is wide by default. */
export function withoutLayout(options: { small?: boolean } = {}): void {
  vi.stubGlobal('ResizeObserver', OneReport)
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: options.small === true && query.includes('max-width'),
    addEventListener() {},
    removeEventListener() {},
  }))
}
