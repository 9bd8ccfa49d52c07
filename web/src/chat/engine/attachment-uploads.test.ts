// @vitest-environment node
import { AppError } from '@proctorpass/shared/errors'
import type { AddedAttachment } from '@proctorpass/shared/schemas/attachment'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AttachmentUploads, PendingAttachment } from './attachments.ts'
import { createConversationAttachments } from './conversation-attachments.ts'
import { createOutbox, newNonce, type Outbox } from './outbox.ts'
import type { Tab } from './tab.ts'
import { Browser } from './testing/browser.ts'

const CLIENT = 'abcdefghijklmnopqrst'
const KNOWN = { epoch: 'e1', knownSeq: 0 }

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** The uploads of one outbox, to a server that answers as the test says. */
function setUp(side: 'visitor' | 'admin' = 'visitor') {
  const browser = new Browser()
  const tab = browser.open()
  const outbox = createOutbox(tab, side, CLIENT)
  const uploaded: { nonce: string; name: string }[] = []
  const refusals: (AppError | null)[] = []
  let waiting: (() => void) | null = null
  const files = createConversationAttachments(
    { side, clientId: CLIENT, senderId: CLIENT, tab },
    browser.files,
    {
      async upload(_path, form, { signal, onProgress }): Promise<AddedAttachment> {
        onProgress(0.5)
        if (waiting) {
          waiting()
          await new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        }
        const refusal = refusals.shift()
        if (refusal) throw refusal
        const { name } = form.get('file') as File
        uploaded.push({ nonce: String(form.get('nonce')), name })
        return { message: '', data: { _id: `id of ${name}`, name, type: 'image/png', bytes: 1 } }
      },
      download: () => Promise.reject(new Error('downloaded')),
    },
  )
  const seen: (number | undefined)[] = []
  const uploads = files.uploads(outbox, () => {
    uploads.check()
    seen.push(...outbox.list().map((entry) => uploads.withProgress(entry).progress))
  })
  async function keep(name: string): Promise<PendingAttachment> {
    const nonce = newNonce()
    await files.keep(nonce, new Blob([name]))
    return { nonce, name, type: 'image/png', bytes: 10 }
  }
  return {
    ...{ browser, outbox, files, uploads, uploaded, refusals, seen, keep },
    stall: () => new Promise<void>((resolve) => (waiting = resolve)),
  }
}

describe('uploads', () => {
  it('uploads each file under its nonce, and none again after a crash', async () => {
    const { outbox, uploads, uploaded, refusals, keep, seen, browser } = setUp()
    const [one, two] = [await keep('one'), await keep('two')]
    const { nonce } = outbox.add('', KNOWN, [one, two])
    refusals.push(null, new AppError('unavailable', 'cut'))
    await expect(uploads.run(nonce)).rejects.toThrow('cut')
    expect(uploaded).toEqual([{ nonce: one.nonce, name: 'one' }])
    // The next page.
    const next = createOutbox(browser.open(), 'visitor', CLIENT)
    expect(next.find(nonce)?.files?.map(({ uploaded }) => uploaded?.id)).toEqual(['id of one', undefined])
    expect(await uploads.run(nonce)).toEqual(['id of one', 'id of two'])
    expect(uploaded.map(({ nonce }) => nonce)).toEqual([one.nonce, two.nonce])
    expect(seen).toContain(0.25)
    expect(seen).toContain(0.75)
    expect(seen.at(-1)).toBeUndefined()
  })

  it('uploads again what may have expired', async () => {
    const { outbox, uploads, uploaded, keep } = setUp()
    const { nonce } = outbox.add('', KNOWN, [await keep('one')])
    await uploads.run(nonce)
    await uploads.run(nonce)
    expect(uploaded).toHaveLength(1)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 60 * 60 * 1_000)
    await uploads.run(nonce)
    expect(uploaded).toHaveLength(2)
  })

  it('uploads under another nonce what the server no longer has', async () => {
    const { outbox, uploads, uploaded, keep } = setUp()
    const { nonce } = outbox.add('', KNOWN, [await keep('one')])
    await uploads.run(nonce)
    expect(uploads.uploadAgain(nonce)).toBe(true)
    await uploads.run(nonce)
    expect(new Set(uploaded.map(({ nonce }) => nonce)).size).toBe(2)
  })

  it.each([
    new AppError('unsupported-media-type', 'no'),
    new AppError('too-large', 'no'),
    new AppError('too-many-files', 'no'),
    new AppError('storage-full', 'no'),
    new AppError('forbidden', 'no'),
    new AppError('rate-limited', 'no', { retryAfterMs: 3_600_000 }),
  ])('marks the file that is refused with $code', async (refusal) => {
    const { outbox, uploads, refusals, keep, uploaded, browser } = setUp()
    const [bad, good] = [await keep('bad'), await keep('good')]
    const { nonce } = outbox.add('words', KNOWN, [bad, good])
    refusals.push(refusal)
    await expect(uploads.run(nonce)).rejects.toMatchObject({ code: 'invalid-input', message: 'no' })
    const entry = outbox.find(nonce)
    if (!entry) throw new Error('lost')
    expect(entry.files?.map(({ refused }) => refused)).toEqual([true, undefined])
    expect(uploads.uploadAgain(nonce)).toBe(false)
    const again = uploads.again({ ...entry, state: 'refused' }, bad.nonce)
    expect(again).toMatchObject({ message: 'words', files: [{ name: 'good' }] })
    await vi.waitFor(() => expect([...browser.files.entries.keys()]).toEqual([good.nonce]))
    expect(uploaded).toEqual([])
    expect(uploads.again({ ...entry, message: '', files: [bad] }, bad.nonce)).toBeNull()
  })

  it('waits for a short limit, and for an admin who signs in again', async () => {
    const { outbox, uploads, refusals, keep } = setUp('admin')
    const { nonce } = outbox.add('', KNOWN, [await keep('one')])
    refusals.push(
      new AppError('rate-limited', 'slower', { retryAfterMs: 5_000 }),
      new AppError('unauthorized', 'sign in'),
    )
    await expect(uploads.run(nonce)).rejects.toMatchObject({ code: 'rate-limited' })
    await expect(uploads.run(nonce)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(outbox.find(nonce)?.files?.[0]?.refused).toBeUndefined()
  })

  it('says so when the bytes are gone', async () => {
    const { outbox, uploads, keep, browser } = setUp()
    const file = await keep('one')
    const { nonce } = outbox.add('', KNOWN, [file])
    browser.files.entries.clear()
    await expect(uploads.run(nonce)).rejects.toThrow('This file is no longer on this device.')
    expect(outbox.find(nonce)?.files?.[0]?.refused).toBe(true)
  })

  it('ends the upload of a canceled message', async () => {
    const { outbox, uploads, keep, stall, uploaded } = setUp()
    const entry = outbox.add('', KNOWN, [await keep('one')])
    const stalled = stall()
    const running = uploads.run(entry.nonce)
    await stalled
    outbox.replace({ ...entry, state: 'canceled' })
    uploads.check()
    await expect(running).rejects.toThrow(/abort/i)
    expect(uploaded).toEqual([])
  })

  it('gives up an upload that does not move', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { outbox, uploads, keep, stall } = setUp()
    const { nonce } = outbox.add('', KNOWN, [await keep('one')])
    const stalled = stall()
    const running = uploads.run(nonce)
    running.catch(() => {})
    await stalled
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(running).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('shows an image that this page has uploaded without a download, once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { outbox, uploads, files, keep } = setUp()
    const image = async (name: string) => ({ ...(await keep(name)), width: 4, height: 3 })
    const pdf = await keep('pdf')
    const [mine, late] = [await image('mine'), await image('late')]
    await uploads.run(outbox.add('', KNOWN, [mine, late, pdf]).nonce)
    expect(await (await files.load('id of mine')).text()).toBe('mine')
    await expect(files.load('id of mine')).rejects.toThrow('downloaded')
    await vi.advanceTimersByTimeAsync(30_000)
    for (const name of ['mine', 'late', 'pdf', 'another'])
      await expect(files.load(`id of ${name}`)).rejects.toThrow('downloaded')
  })
})

describe('uploads of two tabs', () => {
  /** Web Locks whose waiting ends at once, as it does for a tab that waited long. */
  function impatientLocks(): NonNullable<Tab['locks']> {
    const held = new Set<string>()
    return {
      async request(name, _options, work) {
        await new Promise((resolve) => setTimeout(resolve))
        if (held.has(name)) throw new DOMException('waited', 'TimeoutError')
        held.add(name)
        return work().finally(() => held.delete(name))
      },
      query: async () => ({}),
    }
  }

  async function setUpTwo() {
    const browser = new Browser()
    const locks = impatientLocks()
    const answers: (() => void)[] = []
    const tabs = [1, 2].map(() => {
      const tab = browser.open({ locks })
      const outbox = createOutbox(tab, 'visitor', CLIENT)
      const party = { side: 'visitor', clientId: CLIENT, senderId: CLIENT, tab } as const
      const files = createConversationAttachments(party, browser.files, {
        async upload(_path, _form, { onProgress }): Promise<AddedAttachment> {
          onProgress(0.5)
          await new Promise<void>((resolve) => answers.push(resolve))
          return { message: '', data: { _id: 'the id', name: 'a', type: 'image/png', bytes: 1 } }
        },
        download: () => Promise.reject(new Error('downloaded')),
      })
      return { outbox, uploads: files.uploads(outbox, () => {}) }
    }) as [ReturnedTab, ReturnedTab]
    const nonce = newNonce()
    await browser.files.put(nonce, new Blob(['bytes']))
    const file: PendingAttachment = { nonce, name: 'a.png', type: 'image/png', bytes: 10 }
    return { one: tabs[0], two: tabs[1], answers, entry: tabs[0].outbox.add('', KNOWN, [file]).nonce }
  }
  interface ReturnedTab {
    outbox: Outbox
    uploads: AttachmentUploads
  }

  it('upload once, however long it takes', async () => {
    const { one, two, answers, entry } = await setUpTwo()
    const first = one.uploads.run(entry)
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    const second = two.uploads.run(entry)
    // Long enough for many attempts at the lock.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve))
    expect(answers).toHaveLength(1)
    answers[0]?.()
    expect(await Promise.all([first, second])).toEqual([['the id'], ['the id']])
    expect(answers).toHaveLength(1)
  })

  it('do nothing once the other has sent the message', async () => {
    const { one, two, answers, entry } = await setUpTwo()
    const first = one.uploads.run(entry)
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    const second = two.uploads.run(entry)
    one.outbox.remove(entry)
    answers[0]?.()
    expect(await Promise.all([first, second])).toEqual([['the id'], []])
  })

  it('do not wait for one that is frozen', async () => {
    const { one, two, answers, entry } = await setUpTwo()
    void one.uploads.run(entry)
    await vi.waitFor(() => expect(answers).toHaveLength(1))
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 60_000)
    const second = two.uploads.run(entry)
    await vi.waitFor(() => expect(answers).toHaveLength(2))
    answers[1]?.()
    expect(await second).toEqual(['the id'])
  })
})
