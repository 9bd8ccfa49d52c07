// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest'

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

  it('stays closed on later pages until it is opened again', async () => {
    const first = await newPage()
    first.getState().setOpen(false)
    const next = await newPage()
    expect(next.getState().open).toBe(false)
    // The initial state matches the server's HTML for hydration.
    expect(next.getInitialState().open).toBe(true)
    next.getState().toggle()
    expect((await newPage()).getState().open).toBe(true)
  })

  it('remembers that the visitor opened it, not that it opened by itself', async () => {
    localStorage.clear()
    vi.resetModules()
    const { leftOpen, useLiveChat } = await import('./live-chat-store.ts')
    useLiveChat.getState().show('card')
    expect(leftOpen()).toBe(false)
    // A press while only the card or the button is there opens the panel.
    useLiveChat.getState().fold()
    expect(useLiveChat.getState()).toMatchObject({ open: true, shown: 'button' })
    useLiveChat.getState().toggle()
    expect(useLiveChat.getState()).toMatchObject({ open: true, shown: 'panel', openedByUser: true })
    expect(leftOpen()).toBe(true)
    useLiveChat.getState().setOpen(false)
    expect(leftOpen()).toBe(false)
  })
})
