// @vitest-environment node
import { CLIENT_ID_PATTERN, VISITOR_KEY_PATTERN } from '@proctorpass/shared/limits'
import { describe, expect, it, vi } from 'vitest'
import type { TabStorage } from './tab.ts'
import { Browser, fullStorage } from './testing/browser.ts'

const VALID = {
  clientId: expect.stringMatching(CLIENT_ID_PATTERN),
  key: expect.stringMatching(VISITOR_KEY_PATTERN),
}
const OLD_ID = 'AnOlderPage000000001'

/** Each tab has its own module instance. */
async function loadModule() {
  vi.resetModules()
  return await import('./visitor.ts')
}

/** A tab that never sees what the others write: at worst they see it seconds later. Locks are seen at once. */
function openBlind(browser: Browser) {
  return browser.open({ storage: new Browser().open().storage })
}

describe('the visitor', () => {
  it('is created once, with a clientId and a key', async () => {
    const { ensureVisitor } = await loadModule()
    const browser = new Browser()
    const made = await ensureVisitor(browser.open())
    expect(made).toEqual(VALID)
    expect(await ensureVisitor(browser.open())).toEqual(made)
    expect(Object.fromEntries(browser.storage.entries)).toEqual({
      clientId: made.clientId,
      clientKey: made.key,
    })
    expect(await (await loadModule()).ensureVisitor(new Browser().open())).not.toEqual(made)
  })

  it('is another one after it was renewed, also while the old one is announced', async () => {
    const browser = new Browser()
    const { ensureVisitor, renewVisitor } = await loadModule()
    const before = await ensureVisitor(browser.open())
    await renewVisitor(browser.open())
    const after = await ensureVisitor(browser.open())
    expect(after).toEqual(VALID)
    expect([after.clientId === before.clientId, after.key === before.key]).toEqual([false, false])
    expect(await (await loadModule()).ensureVisitor(browser.open())).toEqual(after)
  })

  it('is the same for two tabs that open at the same time', async () => {
    const browser = new Browser()
    const [one, other] = [await loadModule(), await loadModule()]
    const made = await Promise.all([one.ensureVisitor(browser.open()), other.ensureVisitor(browser.open())])
    expect(made[0]).toEqual(made[1])
    expect(browser.storage.entries.get('clientId')).toBe(made[0].clientId)
  })

  it('is the same for two tabs that do not see yet what the other writes', async () => {
    const browser = new Browser()
    const [one, other] = [await loadModule(), await loadModule()]
    const made = await Promise.all([
      one.ensureVisitor(browser.open()),
      other.ensureVisitor(openBlind(browser)),
    ])
    expect(made[0]).toEqual(VALID)
    expect(made[1]).toEqual(made[0])
  })

  it('gets one key from two tabs that do not see yet what the other writes', async () => {
    const browser = new Browser()
    const [tab, blind] = [browser.open(), openBlind(browser)]
    for (const { storage } of [tab, blind]) storage?.setItem('clientId', OLD_ID)
    const [one, other] = [await loadModule(), await loadModule()]
    const found = await Promise.all([one.ensureVisitor(tab), other.ensureVisitor(blind)])
    expect(found[0]).toEqual({ ...VALID, clientId: OLD_ID })
    expect(found[1]).toEqual(found[0])
    expect(blind.storage?.getItem('clientKey')).toBe(found[0].key)
  })

  it('gets one key when an older page created the clientId', async () => {
    const browser = new Browser()
    browser.storage.entries.set('clientId', OLD_ID)
    const [one, other] = [await loadModule(), await loadModule()]
    const found = await Promise.all([one.ensureVisitor(browser.open()), other.ensureVisitor(browser.open())])
    expect(found[0]).toEqual({ ...VALID, clientId: OLD_ID })
    expect(found[1]).toEqual(found[0])
    expect(browser.storage.entries.get('clientKey')).toBe(found[0].key)
  })

  it.each([
    ['full', fullStorage()],
    ['disabled', null],
  ])('lives as long as the tab when the storage is %s', async (_, storage) => {
    const { ensureVisitor } = await loadModule()
    const tab = new Browser().open({ storage })
    const made = await ensureVisitor(tab)
    expect(made).toEqual(VALID)
    expect(await ensureVisitor(tab)).toEqual(made)
  })

  it.each([
    ['refuses it', undefined],
    ['stores it only for the tab', (key: string) => key === 'clientId'],
  ])('does without a key for an older clientId when the storage %s', async (_, isLasting) => {
    const { ensureVisitor } = await loadModule()
    const entries = new Map([['clientId', OLD_ID]])
    const storage: TabStorage = {
      length: 1,
      key: () => null,
      getItem: (key) => entries.get(key) ?? null,
      setItem(key, value) {
        if (isLasting === undefined) throw new DOMException('full', 'QuotaExceededError')
        entries.set(key, value)
      },
      removeItem: (key) => void entries.delete(key),
      isLasting,
    }
    expect(await ensureVisitor(new Browser().open({ storage }))).toEqual({ clientId: OLD_ID, key: null })
    expect([...entries.keys()]).toEqual(['clientId'])
  })

  it('replaces an invalid clientId or key', async () => {
    const { ensureVisitor } = await loadModule()
    const browser = new Browser()
    browser.storage.entries.set('clientId', '<script>')
    expect(await ensureVisitor(browser.open())).toEqual(VALID)
    browser.storage.entries.set('clientKey', '<script>')
    expect(await ensureVisitor(browser.open())).toEqual(VALID)
  })

  it('works without locks', async () => {
    const { ensureVisitor } = await loadModule()
    expect(await ensureVisitor(new Browser().open({ locks: null }))).toEqual(VALID)
  })
})

describe('a visitor that the server refuses', () => {
  it('is replaced by the same visitor in all tabs', async () => {
    const browser = new Browser()
    const [one, other] = [await loadModule(), await loadModule()]
    const refused = await one.ensureVisitor(browser.open())
    const next = await Promise.all([
      one.replaceVisitor(refused, browser.open()),
      other.replaceVisitor(refused, browser.open()),
    ])
    expect(next[0]).toEqual(VALID)
    expect(next[1]).toEqual(next[0])
    expect(next[0].clientId).not.toBe(refused.clientId)
    expect(next[0].key).not.toBe(refused.key)
    expect(browser.storage.entries.get('clientId')).toBe(next[0].clientId)
  })

  it('is replaced by the same visitor in tabs that do not see yet what the other writes', async () => {
    const browser = new Browser()
    const [tab, blind] = [browser.open(), openBlind(browser)]
    const [one, other] = [await loadModule(), await loadModule()]
    const refused = await one.ensureVisitor(tab)
    expect(await other.ensureVisitor(blind)).toEqual(refused)
    const next = await Promise.all([one.replaceVisitor(refused, tab), other.replaceVisitor(refused, blind)])
    expect(next[0].clientId).not.toBe(refused.clientId)
    expect(next[1]).toEqual(next[0])
    expect(blind.storage?.getItem('clientId')).toBe(next[0].clientId)
  })

  it('takes the key that another tab has stored since', async () => {
    const browser = new Browser()
    const { ensureVisitor, replaceVisitor } = await loadModule()
    const { clientId, key } = await ensureVisitor(browser.open())
    expect(await replaceVisitor({ clientId, key: null }, browser.open())).toEqual({ clientId, key })
  })

  it.each([
    ['full', fullStorage()],
    ['disabled', null],
  ])('is replaced where the storage is %s', async (_, storage) => {
    const { ensureVisitor, replaceVisitor } = await loadModule()
    const tab = new Browser().open({ storage })
    const refused = await ensureVisitor(tab)
    const next = await replaceVisitor(refused, tab)
    expect(next.clientId).not.toBe(refused.clientId)
    expect(await ensureVisitor(tab)).toEqual(next)
  })
})
