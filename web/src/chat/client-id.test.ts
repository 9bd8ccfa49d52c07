// @vitest-environment node
import { CLIENT_ID_PATTERN } from '@proctorpass/shared/limits'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Browser, fullStorage } from './testing/browser.ts'

const VALID = new RegExp(CLIENT_ID_PATTERN)

/** A tab has a module instance of its own. */
async function loadModule() {
  vi.resetModules()
  return await import('./client-id.ts')
}

describe('client id', () => {
  beforeEach(() => {
    vi.resetModules()
  })

  it('is none until one is asked for', async () => {
    const { clientId, ensureClientId } = await loadModule()
    const tab = new Browser().open()
    expect(clientId(tab)).toBeNull()
    const made = await ensureClientId(tab)
    expect(made).toMatch(VALID)
    expect(clientId(tab)).toBe(made)
  })

  it('is one for two tabs that are fresh at the same time', async () => {
    const browser = new Browser()
    const [one, other] = [await loadModule(), await loadModule()]
    const ids = await Promise.all([one.ensureClientId(browser.open()), other.ensureClientId(browser.open())])
    expect(ids[0]).toBe(ids[1])
    expect(browser.storage.entries.get('clientId')).toBe(ids[0])
  })

  it.each([
    ['full', fullStorage()],
    ['disabled', null],
  ])('lives as long as the tab when the storage is %s', async (_, storage) => {
    const { clientId, ensureClientId } = await loadModule()
    const tab = new Browser().open({ storage })
    const made = await ensureClientId(tab)
    expect(await ensureClientId(tab)).toBe(made)
    expect(clientId(tab)).toBe(made)
  })

  it('replaces what is no id', async () => {
    const { ensureClientId } = await loadModule()
    const browser = new Browser()
    browser.storage.entries.set('clientId', '<script>')
    expect(await ensureClientId(browser.open())).toMatch(VALID)
  })

  it('does without locks', async () => {
    const { ensureClientId } = await loadModule()
    expect(await ensureClientId(new Browser().open({ locks: null }))).toMatch(VALID)
  })
})
