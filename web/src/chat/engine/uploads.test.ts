// @vitest-environment node
import { AppError } from '@proctorpass/shared/errors'
import type { UploadedFile } from '@proctorpass/shared/schemas/file'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createConversationFiles } from './conversation-files.ts'
import type { PendingFile } from './files.ts'
import { createOutbox, newNonce } from './outbox.ts'
import { Browser } from './testing/browser.ts'

const CLIENT = 'abcdefghijklmnopqrst'
const KNOWN = { epoch: 'e1', seq: 0 }

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** The uploads of one outbox, to a server that answers as the test says. */
function setUp(side: 'visitor' | 'admin' = 'visitor') {
  const browser = new Browser()
  const outbox = createOutbox(browser.open(), side, CLIENT)
  const uploaded: { nonce: string; name: string }[] = []
  const refusals: (AppError | null)[] = []
  let waiting: (() => void) | null = null
  const files = createConversationFiles({ side, clientId: CLIENT, senderId: CLIENT }, browser.files, {
    async upload(_path, form, { signal, onProgress }): Promise<UploadedFile> {
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
  })
  const seen: (number | undefined)[] = []
  const uploads = files.uploads(outbox, () => {
    uploads.check()
    seen.push(...outbox.list().map((entry) => uploads.withProgress(entry).progress))
  })
  async function keep(name: string): Promise<PendingFile> {
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

  it('shows what this page has uploaded without a download', async () => {
    const { outbox, uploads, files, keep } = setUp()
    const { nonce } = outbox.add('', KNOWN, [await keep('mine')])
    const [id = ''] = await uploads.run(nonce)
    expect(await (await files.load(id)).text()).toBe('mine')
    await expect(files.load('id of another')).rejects.toThrow('downloaded')
  })
})
