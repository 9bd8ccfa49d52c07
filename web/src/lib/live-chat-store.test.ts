import { beforeEach, describe, expect, it, vi } from 'vitest'

/** As on a new page. */
async function newPage() {
  vi.resetModules()
  const { useLiveChat } = await import('./live-chat-store.ts')
  return useLiveChat
}

beforeEach(() => localStorage.clear())

describe('useLiveChat', () => {
  it('is open at first', async () => {
    expect((await newPage()).getState().open).toBe(true)
  })

  it('stays closed on the next page once somebody closed it, until they open it again', async () => {
    const first = await newPage()
    first.getState().setOpen(false)
    const next = await newPage()
    expect(next.getState().open).toBe(false)
    // What hydration compares with is what the server rendered.
    expect(next.getInitialState().open).toBe(true)
    next.getState().toggle()
    expect((await newPage()).getState().open).toBe(true)
  })
})
