import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeUploadFiles } from '../../../test/upload-files-contract.ts'
import { openFolder } from './open-folder.ts'

let path: string
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'proctorpass-files-'))
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

describeUploadFiles('folder', {
  open: (options) => openFolder(path, options),
  reset: async () => {},
})

it('counts what was there before, and leaves nothing of what it has no room for', async () => {
  writeFileSync(join(path, 'old.png'), 'x'.repeat(60))
  const files = await openFolder(path, { totalBytesMax: 100 })
  await expect(files.put('big.png', Buffer.alloc(41))).rejects.toMatchObject({ code: 'unavailable' })
  expect(readdirSync(path)).toEqual(['old.png'])
})

it('leaves nothing of a write that fails', async () => {
  const files = await openFolder(path)
  await expect(files.put('no/such/folder.png', Buffer.from('x'))).rejects.toThrow()
  expect(readdirSync(path)).toEqual([])
})

it('removes what a process left that died while it wrote', async () => {
  writeFileSync(join(path, 'half.part'), 'x')
  await openFolder(path)
  expect(readdirSync(path)).toEqual([])
})
