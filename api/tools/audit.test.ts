import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStores } from '../src/storage/open-storage.ts'
import { CHILD_ENV, temporaryDir } from '../test/server-process.ts'

let dir: ReturnType<typeof temporaryDir>
beforeEach(async () => {
  dir = temporaryDir('audit')
  const { storage } = await openStores({ dataDir: dir.path })
  for (let at = 1; at <= 3; at++) {
    const system = { by: null, target: null, address: null }
    await storage.audit.append({ ...system, action: 'retention.ran', details: { erased: at }, at })
  }
  await storage.close()
})
afterEach(() => dir.remove())

function audit(...args: string[]): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    const env = { ...CHILD_ENV, DATA_DIR: dir.path }
    const argv = [join(import.meta.dirname, 'audit.ts'), ...args]
    const child = execFile(process.execPath, argv, { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out: out + err }),
    )
  })
}

it('verifies the log, and an entry that was saved', async () => {
  const whole = await audit('verify')
  expect(whole).toMatchObject({ code: 0, out: expect.stringContaining('3 entries, unbroken') })
  const [, number = '', hash = ''] = /The last one: (\d+) ([0-9a-f]{64})/.exec(whole.out) ?? []
  expect((await audit('verify', number, hash)).code).toBe(0)
  expect(await audit('verify', '3', '0'.repeat(64))).toMatchObject({
    ...{ code: 1, out: expect.stringContaining('has another hash') },
  })
  expect(await audit('verify', '4', hash)).toMatchObject({
    ...{ code: 1, out: expect.stringContaining('Entry 4 is missing') },
  })
  expect((await audit('verify', '3')).code).toBe(1)
})

it('names the first broken entry', async () => {
  const db = new DatabaseSync(join(dir.path, 'chat.sqlite'))
  db.exec(`UPDATE audit SET details = '{"erased":9}' WHERE _id LIKE '%2'`)
  db.close()
  expect(await audit('verify')).toMatchObject({
    ...{ code: 1, out: expect.stringContaining('3 entries, broken at entry 2') },
  })
})
