// @vitest-environment jsdom

import { afterEach, describe, expect, it, vi } from 'vitest'
import { fallbackStorage } from './fallback-storage.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
  sessionStorage.clear()
})

const full = (): Storage =>
  ({
    ...{ length: 0, key: () => null, getItem: () => null, removeItem() {}, clear() {} },
    setItem() {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    },
  }) as Storage

describe('fallback storage', () => {
  it('uses localStorage, which all tabs share', () => {
    fallbackStorage()?.setItem('a', 'text')
    expect(localStorage.getItem('a')).toBe('text')
    expect(sessionStorage.length).toBe(0)
  })

  it('uses sessionStorage while localStorage is full', () => {
    vi.stubGlobal('localStorage', full())
    const storage = fallbackStorage()
    storage?.setItem('a', 'text')
    expect(sessionStorage.getItem('a')).toBe('text')
    expect(storage?.getItem('a')).toBe('text')
    expect([storage?.length, storage?.key(0)]).toEqual([1, 'a'])
    storage?.removeItem('a')
    expect(storage?.getItem('a')).toBeNull()
  })

  it('reads the newer of two values, and keeps one once localStorage has room again', () => {
    localStorage.setItem('a', 'old')
    sessionStorage.setItem('a', 'new')
    const storage = fallbackStorage()
    expect(storage?.getItem('a')).toBe('new')
    storage?.setItem('a', 'newest')
    expect([localStorage.getItem('a'), sessionStorage.getItem('a')]).toEqual(['newest', null])
  })

  it('is null where the browser forbids both', () => {
    for (const name of ['localStorage', 'sessionStorage']) {
      vi.spyOn(window, name as 'localStorage', 'get').mockImplementation(() => {
        throw new DOMException('Denied.', 'SecurityError')
      })
    }
    expect(fallbackStorage()).toBeNull()
    vi.restoreAllMocks()
  })
})
