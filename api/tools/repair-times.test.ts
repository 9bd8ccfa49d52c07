import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStores } from '../src/storage/open-storage.ts'
import { CHILD_ENV, startServer, temporaryDir } from '../test/server-process.ts'

const VISITOR = 'Visitor0000000000001'
const YEAR = 365 * 24 * 3_600_000

let folder: ReturnType<typeof temporaryDir>
beforeEach(() => {
  folder = temporaryDir('times')
})
afterEach(() => folder.remove())

function repairTimes(...args: string[]) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'repair-times.ts'), ...args],
      { env: { ...CHILD_ENV, DATA_DIR: folder.path } },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

it('repairs a store that no server uses', { timeout: 60_000 }, async () => {
  const before = await openStores({ dataDir: folder.path })
  const message = {
    clientId: VISITOR,
    senderId: VISITOR,
    message: 'x',
    nonce: 'nonce-one',
    at: Date.now() + YEAR,
  }
  await before.storage.messages.append(message)
  await before.storage.close()

  const server = await startServer({ dataDir: folder.path })
  const refused = await repairTimes()
  await server.stop()
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Another process already uses')])

  expect(await repairTimes()).toMatchObject({ code: 0, out: expect.stringContaining('set to that time: 1.') })
  expect(await repairTimes('now')).toMatchObject({ code: 2, err: expect.stringContaining('Usage') })
  const { storage } = await openStores({ dataDir: folder.path })
  const page = await storage.messages.page(VISITOR, { limit: 1 })
  expect(Date.parse(page?.messages[0]?.createdAt ?? '')).toBeLessThanOrEqual(Date.now())
  await storage.close()
})
