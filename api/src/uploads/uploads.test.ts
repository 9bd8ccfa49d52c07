import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@proctorpass/shared/errors'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openFolder } from '../storage/files/open-folder.ts'
import type { FileStore } from '../storage/model/file-store.ts'
import { createUploads, type Uploads, uploadUrlsIn } from './uploads.ts'

const HOUR = 60 * 60 * 1_000
let path: string
let files: FileStore
let used: string[]
let now: number
let uploads: Uploads
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'proctorpass-uploads-'))
  files = await openFolder(path)
  used = []
  now = Date.now()
  uploads = createUploads({ files, isUsed: async (url) => used.includes(url), now: () => now })
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

const store = async (background: string) => {
  const bytes = await sharp({ create: { width: 4, height: 4, channels: 3, background } })
    .png()
    .toBuffer()
  return (await uploads.store(bytes, { name: 'a.png', type: 'image/png' })).url
}
const storedFiles = () => readdirSync(path).length

it('removes an image with its narrower widths when no post shows it', async () => {
  const [red, blue] = [await store('red'), await store('blue')]
  expect(storedFiles()).toBe(8)
  used = [blue]
  await uploads.release([red, blue, '/images/posts/desk.svg', '/uploads/../jwt-secret'])
  expect(storedFiles()).toBe(4)
  const opened = await uploads.open(blue.slice('/uploads/'.length))
  expect(opened).toMatchObject({ type: 'image/png' })
  opened?.stream.destroy()
  expect(await uploads.open(red.slice('/uploads/'.length))).toBeNull()
})

it('removes an image of which a post showed only a narrower width', async () => {
  const red = await store('red')
  const narrow = red.replace('.png', '-960.webp')
  expect(uploadUrlsIn(`<p><img src="${narrow}"></p>`)).toEqual([narrow])
  used = [narrow]
  await uploads.release([narrow])
  expect(storedFiles()).toBe(4)
  used = []
  await uploads.release([narrow])
  expect(storedFiles()).toBe(0)
})

it('retains an image that was uploaded again, for a day', async () => {
  const red = await store('red')
  await store('red')
  await uploads.release([red])
  expect(storedFiles()).toBe(4)
  now += 25 * HOUR
  await uploads.sweep()
  expect(storedFiles()).toBe(0)
})

it('retains an image that another node stores again, before or while it is released', async () => {
  const node = () => createUploads({ files, isUsed: async (url) => used.includes(url), now: () => now })
  const url = await store('red')
  const here = uploads
  uploads = node()
  await store('red')
  await here.release([url])
  expect(storedFiles()).toBe(4)
  now += 25 * HOUR
  // Between its look and its removal, a second node removes the image and a third stores it anew.
  const judging = createUploads({
    files,
    async isUsed() {
      await here.release([url])
      expect(storedFiles()).toBe(0)
      await store('red')
      return false
    },
    now: () => now,
  })
  await judging.release([url])
  const opened = await here.open(url.slice('/uploads/'.length))
  opened?.stream.destroy()
  expect([opened !== null, storedFiles()]).toEqual([true, 4])
})

it('sweeps only images that no post has shown for a day', async () => {
  used = [await store('red')]
  await store('blue')
  await uploads.sweep()
  expect(storedFiles()).toBe(8)
  now += 25 * HOUR
  await uploads.sweep()
  expect(storedFiles()).toBe(4)
})

it('removes the narrower widths when the main file cannot be stored', async () => {
  const full = createUploads({
    files: {
      ...files,
      put: async (name, bytes) => {
        if (name.endsWith('.png')) throw new AppError('unavailable', 'No room.')
        return files.put(name, bytes)
      },
    },
    isUsed: async () => false,
    now: () => now,
  })
  uploads = full
  await expect(store('red')).rejects.toMatchObject({ code: 'unavailable' })
  expect(storedFiles()).toBe(0)
})

it('refuses uploads beyond the queue, and accepts them again afterwards', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 90 }, (_, index) => store(`#0000${10 + index}`)),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const each of refused) expect(each).toMatchObject({ reason: { code: 'unavailable' } })
  expect(await store('red')).toMatch(/^\/uploads\//)
})

it('sweeps old images whose removal failed, after a restart', async () => {
  used = [await store('red')]
  await uploads.sweep()
  now += 1_000 * 24 * HOUR
  await uploads.sweep()
  expect(storedFiles()).toBe(4)
  // The post was removed, but its image was not: the process died, or the store was away.
  used = []
  const restarted = createUploads({ files, isUsed: async () => false, now: () => now })
  await restarted.sweep()
  expect(storedFiles()).toBe(0)
})
