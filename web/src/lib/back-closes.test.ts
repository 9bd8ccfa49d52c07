// @vitest-environment jsdom

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { afterClosing, closeOnBack } from './back-closes.ts'

/** As the router's: the pages that steps through the history lead to. */
let shown: string[] = []
const handlePopState = () => shown.push(location.pathname)

function goTo(path: string): void {
  history.pushState({ idx: (history.state?.idx ?? 0) + 1 }, '', path)
}

/** Steps through the history, with everything that follows from it. */
async function step(by: number): Promise<void> {
  history.go(by)
  await settled()
}

/** Until no step of the history has been taken for a while: jsdom says nothing of those that lead nowhere. */
async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet += 1) {
    await new Promise<void>((resolve) => {
      const handle = () => {
        quiet = 0
      }
      window.addEventListener('popstate', handle, { capture: true, once: true })
      setTimeout(() => {
        window.removeEventListener('popstate', handle, true)
        resolve()
      })
    })
  }
}

beforeEach(() => {
  shown = []
  history.replaceState({ idx: 0 }, '', '/list')
  goTo('/conversation')
  window.addEventListener('popstate', handlePopState)
})
afterEach(() => window.removeEventListener('popstate', handlePopState))

test('Back closes the topmost layer, then the one below, and only then leaves the page', async () => {
  const closed: string[] = []
  closeOnBack(() => closed.push('sheet'))
  await settled()
  closeOnBack(() => closed.push('question'))
  await settled()
  await step(-1)
  expect(closed).toEqual(['question'])
  await step(-1)
  expect(closed).toEqual(['question', 'sheet'])
  expect([location.pathname, shown]).toEqual(['/conversation', []])
  await step(-1)
  expect(shown).toEqual(['/list'])
})

test('a layer that is closed by its button leaves no entry behind', async () => {
  const close = vi.fn()
  const end = closeOnBack(close)
  await settled()
  end()
  await settled()
  await step(-1)
  expect([shown, close.mock.calls]).toEqual([['/list'], []])
})

test('a layer that replaces another one takes its entry', async () => {
  const first = closeOnBack(() => {})
  await settled()
  const { length } = history
  first()
  const close = vi.fn()
  closeOnBack(close)
  await settled()
  expect(history.length).toBe(length)
  await step(-1)
  expect([close.mock.calls.length, shown]).toEqual([1, []])
})

test('what navigates after closing replaces the entry of the layer', async () => {
  const end = closeOnBack(() => {})
  await settled()
  end()
  afterClosing(() => goTo('/settings'))
  await settled()
  expect(location.pathname).toBe('/settings')
  await step(-1)
  await step(-1)
  expect(shown).toEqual(['/conversation', '/list'])
})

test('Back and Forward pass the entry of a layer from which a link led away', async () => {
  const end = closeOnBack(() => {})
  await settled()
  goTo('/settings')
  end()
  await settled()
  await step(-1)
  expect(location.pathname).toBe('/conversation')
  await step(-1)
  expect(location.pathname).toBe('/list')
  await step(1)
  await step(1)
  expect(shown).toEqual(['/conversation', '/list', '/conversation', '/settings'])
})

test('a step over several entries closes the layers and leads to its page', async () => {
  const close = vi.fn()
  closeOnBack(close)
  await settled()
  await step(-2)
  expect([close.mock.calls.length, shown]).toEqual([1, ['/list']])
})
