import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openFolder } from './open-folder.ts'

let path: string
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'proctorpass-files-'))
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

it('keeps a file, answers it, lists it and removes it', async () => {
  const files = await openFolder(path)
  expect(await files.put('a.png', Buffer.from('one'))).toBe(true)
  expect(await files.put('a.png', Buffer.from('two'))).toBe(false)
  const found = await files.open('a.png')
  if (found === null) throw new Error('It is not there.')
  expect(found.file).toEqual({ name: 'a.png', size: 3, storedAt: expect.any(Number) })
  expect(await text(found.stream)).toBe('one')
  expect((await files.list()).map(({ name }) => name)).toEqual(['a.png'])
  await files.remove('a.png')
  await files.remove('a.png')
  expect([await files.open('a.png'), await files.list()]).toEqual([null, []])
})

it('refuses what there is no room for, keeps nothing of it, and goes on once there is room', async () => {
  writeFileSync(join(path, 'old.png'), 'x'.repeat(60))
  const files = await openFolder(path, { totalBytesMax: 100 })
  await expect(files.put('big.png', Buffer.alloc(41))).rejects.toMatchObject({ code: 'unavailable' })
  expect(readdirSync(path)).toEqual(['old.png'])
  await files.remove('old.png')
  expect(await files.put('big.png', Buffer.alloc(41))).toBe(true)
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
