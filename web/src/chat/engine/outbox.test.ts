// @vitest-environment node
import { NONCE_PATTERN } from '@proctorpass/shared/limits'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pendingClients } from './admin-outbox.ts'
import { createOutbox, outboxPrefix } from './outbox.ts'
import { Browser, fullStorage } from './testing/browser.ts'

const CLIENT = 'abcdefghijklmnopqrst'
const KNOWN = { epoch: 'e1', knownSeq: 4 }
const texts = (outbox: { list(): { message: string }[] }) => outbox.list().map(({ message }) => message)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('outbox', () => {
  it('stores each message under its own key, for the next page to read', () => {
    const browser = new Browser()
    const outbox = createOutbox(browser.open(), 'visitor', CLIENT)
    const first = outbox.add('one', KNOWN)
    outbox.add('two', KNOWN)
    expect(first.nonce).toMatch(new RegExp(NONCE_PATTERN))
    expect(browser.storage.entries.has(`outbox:visitor:${CLIENT}:${first.nonce}`)).toBe(true)
    expect(texts(createOutbox(browser.open(), 'visitor', CLIENT))).toEqual(['one', 'two'])
  })

  it('keeps the typing order when the clock is set back', () => {
    const browser = new Browser()
    const outbox = createOutbox(browser.open(), 'visitor', CLIENT)
    const now = vi.spyOn(Date, 'now')
    now.mockReturnValue(2_000_000_000_000)
    outbox.add('one', KNOWN)
    now.mockReturnValue(1_000_000_000_000)
    outbox.add('two', KNOWN)
    createOutbox(browser.open(), 'visitor', CLIENT).add('three', KNOWN)
    expect(texts(outbox)).toEqual(['one', 'two', 'three'])
  })

  it.each([
    ['is full', fullStorage()],
    ['is disabled', null],
  ])('keeps messages for the life of the tab when the storage %s', (_, storage) => {
    const outbox = createOutbox(new Browser().open({ storage }), 'visitor', CLIENT)
    const first = outbox.add('one', KNOWN)
    outbox.add('two', KNOWN)
    outbox.replace({ ...first, state: 'refused', reason: 'no' })
    expect(texts(outbox)).toEqual(['one', 'two'])
    expect(outbox.list()[0]?.state).toBe('refused')
    outbox.remove(first.nonce)
    expect(texts(outbox)).toEqual(['two'])
  })

  it('skips other values, and leaves them in storage', () => {
    const browser = new Browser()
    const prefix = outboxPrefix('visitor', CLIENT)
    const corrupt = ['{', 'null', '[]', '{"nonce":5}', '{"nonce":"x","message":{}}', '"__proto__"']
    corrupt.forEach((value, index) => {
      browser.storage.entries.set(`${prefix}corrupt${index}`, value)
    })
    const outbox = createOutbox(browser.open(), 'visitor', CLIENT)
    outbox.add('one', KNOWN)
    expect(texts(outbox)).toEqual(['one'])
    expect(browser.storage.entries.size).toBe(corrupt.length + 1)
  })

  it('separates owners and conversations', () => {
    const tab = new Browser().open()
    createOutbox(tab, 'admin1', CLIENT).add('mine', KNOWN)
    createOutbox(tab, 'admin1', 'zyxwvutsrqponmlkjihg').add('other conversation', KNOWN)
    createOutbox(tab, 'admin2', CLIENT).add('theirs', KNOWN)
    expect(texts(createOutbox(tab, 'admin1', CLIENT))).toEqual(['mine'])
    expect(pendingClients(tab, 'admin1')).toEqual([CLIENT, 'zyxwvutsrqponmlkjihg'])
    expect(pendingClients(tab, 'admin3')).toEqual([])
  })

  it('moves an entry to the end, with a new nonce', () => {
    const outbox = createOutbox(new Browser().open(), 'visitor', CLIENT)
    const first = outbox.add('one', KNOWN)
    outbox.add('two', KNOWN)
    const again = outbox.requeue(first, 'another-nonce')
    expect(again.nonce).toBe('another-nonce')
    expect(texts(outbox)).toEqual(['two', 'one'])
  })
})
