import { buffer, text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { UploadFiles } from '../src/storage/upload-files.ts'

/** What every adapter must do. `open` opens the same place again; `reset` makes it empty. */
interface UploadFilesUnderTest {
  open: (options?: { totalBytesMax?: number }) => Promise<UploadFiles>
  reset: () => Promise<void>
}

export function describeUploadFiles(name: string, { open, reset }: UploadFilesUnderTest): void {
  describe(`${name} uploads`, () => {
    beforeEach(reset)

    async function bytesOf(files: UploadFiles, file: string): Promise<Buffer> {
      const found = await files.open(file)
      if (found === null) throw new Error(`${file} is not there.`)
      return buffer(found.stream)
    }

    it('are kept, answered, listed and removed', async () => {
      const files = await open()
      expect(await files.put('a.png', Buffer.from('one'))).toBe(true)
      expect(await files.put('b.png', Buffer.from('four'))).toBe(true)
      const found = await files.open('a.png')
      if (found === null) throw new Error('It is not there.')
      expect(found.file).toEqual({ name: 'a.png', size: 3, storedAt: expect.any(Number) })
      expect(await text(found.stream)).toBe('one')
      expect(await files.list()).toContainEqual(found.file)
      expect((await files.list()).map((file) => file.name).sort()).toEqual(['a.png', 'b.png'])
      await files.remove('a.png')
      await files.remove('a.png')
      expect([await files.open('a.png'), (await files.list()).length]).toEqual([null, 1])
      expect(await files.put('a.png', Buffer.from('again'))).toBe(true)
      expect((await bytesOf(files, 'a.png')).toString()).toBe('again')
    })

    it('keep what a name holds, and know when it was last put', async () => {
      const files = await open()
      await files.put('a.png', Buffer.from('one'))
      const [before] = await files.list()
      // Until a clock that counts milliseconds has moved.
      await vi.waitFor(async () => {
        expect(await files.put('a.png', Buffer.from('two'))).toBe(false)
        expect((await files.list())[0]?.storedAt).toBeGreaterThan(before?.storedAt ?? Infinity)
      })
      expect((await bytesOf(files, 'a.png')).toString()).toBe('one')
    })

    it('are what they were, large or empty, also when they are opened again', async () => {
      const large = Buffer.alloc(3 * 1024 * 1024)
      for (let at = 0; at < large.length; at += 4) large.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at)
      const files = await open()
      await files.put('large.png', large)
      await files.put('empty.png', Buffer.alloc(0))
      const again = await open()
      expect((await bytesOf(again, 'large.png')).equals(large)).toBe(true)
      expect((await bytesOf(again, 'empty.png')).length).toBe(0)
    })

    it('are refused when there is no room, leave nothing then, and are taken once there is', async () => {
      const files = await open({ totalBytesMax: 100 })
      await files.put('old.png', Buffer.alloc(60))
      await expect(files.put('big.png', Buffer.alloc(41))).rejects.toMatchObject({ code: 'unavailable' })
      expect((await files.list()).map((file) => file.name)).toEqual(['old.png'])
      expect(await files.put('small.png', Buffer.alloc(40))).toBe(true)
      await files.remove('old.png')
      expect(await files.put('big.png', Buffer.alloc(41))).toBe(true)
    })

    it('may be left by whoever reads them', async () => {
      const files = await open()
      await files.put('a.png', Buffer.alloc(2 * 1024 * 1024))
      const unread = await files.open('a.png')
      unread?.stream.destroy()
      const halfRead = await files.open('a.png')
      for await (const _ of halfRead?.stream ?? []) break
      expect(halfRead?.stream.destroyed).toBe(true)
      expect((await bytesOf(files, 'a.png')).length).toBe(2 * 1024 * 1024)
    })
  })
}
