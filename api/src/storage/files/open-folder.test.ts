import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeFileStore, uploadName } from '../../../test/file-store-contract.ts'
import { openFolder } from './open-folder.ts'

let path: string
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'proctorpass-files-'))
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

describeFileStore('folder', {
  open: (totalBytesMax) => openFolder(path, totalBytesMax),
  reset: async () => {},
})

it('counts existing files, and stores nothing of a file without space', async () => {
  writeFileSync(join(path, uploadName('old')), 'x'.repeat(60))
  const files = await openFolder(path, 100)
  await expect(files.put(uploadName('big'), Buffer.alloc(41))).rejects.toMatchObject({ code: 'storage-full' })
  expect(readdirSync(path)).toEqual([uploadName('old')])
})

it('leaves nothing of a failed write', async () => {
  const files = await openFolder(path)
  // A number cannot be written: it fails after the file was created.
  await expect(files.put(uploadName('a'), 7 as never)).rejects.toThrow()
  expect(readdirSync(path)).toEqual([])
})

it('removes the unfinished files of a process that died', async () => {
  writeFileSync(join(path, 'half.part'), 'x')
  await openFolder(path)
  expect(readdirSync(path)).toEqual([])
})
