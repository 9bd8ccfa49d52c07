import { buffer, text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { FileStore } from '../src/storage/model/file-store.ts'

/** A valid name of an upload, unique per word. */
export const uploadName = (word: string) => `${Buffer.from(word).toString('hex').padEnd(40, '0')}.png`

/** One process writes to a folder. */
const SHARED_FOLDER = 'folder'

/** What every adapter must do. `open` opens the same store again; `reset` empties it. */
interface FileStoreUnderTest {
  open: (totalBytesMax?: number) => Promise<FileStore>
  reset: () => Promise<void>
}

export function describeFileStore(name: string, { open, reset }: FileStoreUnderTest): void {
  describe(`${name} uploads`, () => {
    beforeEach(reset)

    async function bytesOf(files: FileStore, file: string): Promise<Buffer> {
      const found = await files.open(file)
      if (found === null) throw new Error(`${file} is missing.`)
      return buffer(found.stream)
    }

    it('are stored, read, listed and removed', async () => {
      const files = await open()
      expect(await files.put(uploadName('a'), Buffer.from('one'))).toBe(true)
      expect(await files.put(uploadName('b'), Buffer.from('four'))).toBe(true)
      const found = await files.open(uploadName('a'))
      if (found === null) throw new Error('The upload is missing.')
      expect(found.file).toEqual({
        ...{ name: uploadName('a'), size: 3, storedAt: expect.any(Number) },
        ...{ isAgain: false, revision: expect.any(String) },
      })
      expect(await files.find(uploadName('a'))).toEqual(found.file)
      expect(await files.find(uploadName('c'))).toBeNull()
      expect(await text(found.stream)).toBe('one')
      expect(await files.list()).toContainEqual(found.file)
      expect((await files.list()).map((file) => file.name).sort()).toEqual([uploadName('a'), uploadName('b')])
      await files.remove(uploadName('a'))
      await files.remove(uploadName('a'))
      expect([await files.open(uploadName('a')), (await files.list()).length]).toEqual([null, 1])
      expect(await files.put(uploadName('a'), Buffer.from('again'))).toBe(true)
      expect((await bytesOf(files, uploadName('a'))).toString()).toBe('again')
    })

    it('keep the content of a name, and record the time of the last put', async () => {
      const files = await open()
      await files.put(uploadName('a'), Buffer.from('one'))
      const [before] = await files.list()
      // The clock counts milliseconds.
      await vi.waitFor(async () => {
        expect(await files.put(uploadName('a'), Buffer.from('two'))).toBe(false)
        expect((await files.list())[0]?.storedAt).toBeGreaterThan(before?.storedAt ?? Infinity)
      })
      expect((await bytesOf(files, uploadName('a'))).toString()).toBe('one')
    })

    it('have the same bytes after a restart, large or empty', async () => {
      const large = Buffer.alloc(3 * 1024 * 1024)
      for (let at = 0; at < large.length; at += 4) large.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at)
      const files = await open()
      await files.put(uploadName('large'), large)
      await files.put(uploadName('empty'), Buffer.alloc(0))
      const again = await open()
      expect((await bytesOf(again, uploadName('large'))).equals(large)).toBe(true)
      expect((await bytesOf(again, uploadName('empty'))).length).toBe(0)
    })

    it('are refused without space, leave nothing then, and are stored once there is space', async () => {
      const files = await open(100)
      await files.put(uploadName('old'), Buffer.alloc(60))
      await expect(files.put(uploadName('big'), Buffer.alloc(41))).rejects.toMatchObject({
        code: 'storage-full',
      })
      expect((await files.list()).map((file) => file.name)).toEqual([uploadName('old')])
      expect(await files.put(uploadName('small'), Buffer.alloc(40))).toBe(true)
      await files.remove(uploadName('old'))
      expect(await files.put(uploadName('big'), Buffer.alloc(41))).toBe(true)
    })

    it('of visitors leave room for those of admins', async () => {
      const files = await open(100)
      expect(await files.put(uploadName('a'), Buffer.alloc(90), 'visitor')).toBe(true)
      await expect(files.put(uploadName('b'), Buffer.alloc(1), 'visitor')).rejects.toMatchObject({
        code: 'storage-full',
      })
      expect(await files.put(uploadName('b'), Buffer.alloc(10), 'admin')).toBe(true)
    })

    it('are removed as they were seen, and not once they were put again', async () => {
      const files = await open()
      const put = (bytes = 'x') => files.put(uploadName('a'), Buffer.from(bytes))
      const see = async () => {
        const found = await files.find(uploadName('a'))
        if (found === null) throw new Error('The upload is missing.')
        return found
      }
      await put()
      const first = await see()
      await put()
      const again = await see()
      expect([first.isAgain, again.isAgain]).toEqual([false, true])
      expect(await files.remove(uploadName('a'), first)).toBe(false)
      expect(await see()).toEqual(again)
      await put()
      expect(await files.remove(uploadName('a'), again)).toBe(false)
      expect(await files.remove(uploadName('a'), await see())).toBe(true)
      expect(await files.remove(uploadName('a'), again)).toBe(true)
      // Removed and stored anew: not the file that was seen either.
      await put()
      expect((await see()).isAgain).toBe(false)
      expect(await files.remove(uploadName('a'), again)).toBe(false)
      expect(await files.remove(uploadName('a'), first)).toBe(false)
      expect(await files.list()).toEqual([await see()])
    })

    it('are removed or put, never lost, when both happen at the same time', async () => {
      const [here, there] = [await open(), await open()]
      for (let round = 0; round < 10; round++) {
        await here.put(uploadName('a'), Buffer.from('x'))
        const seen = await here.find(uploadName('a'))
        await Promise.all([
          here.remove(uploadName('a'), seen ?? undefined),
          (SHARED_FOLDER === name ? here : there).put(uploadName('a'), Buffer.from('x')),
        ])
        expect(await there.find(uploadName('a'))).not.toBeNull()
      }
    })

    it.each([
      '../a.png',
      '../../../../tmp/x',
      '/tmp/x',
      'a.png',
      '',
      '.',
      'x\0.png',
      `${'ab'.repeat(20)}.png/..`,
    ])('cannot have the name %j', async (bad) => {
      const files = await open()
      await expect(files.put(bad, Buffer.from('x'))).rejects.toThrow("isn't the name of an upload")
      await expect(files.remove(bad)).rejects.toThrow("isn't the name of an upload")
      expect([await files.open(bad), await files.list()]).toEqual([null, []])
    })

    it('can be closed before their end', async () => {
      const files = await open()
      await files.put(uploadName('a'), Buffer.alloc(2 * 1024 * 1024))
      const unread = await files.open(uploadName('a'))
      unread?.stream.destroy()
      const halfRead = await files.open(uploadName('a'))
      for await (const _ of halfRead?.stream ?? []) break
      expect(halfRead?.stream.destroyed).toBe(true)
      expect((await bytesOf(files, uploadName('a'))).length).toBe(2 * 1024 * 1024)
    })
  })
}
