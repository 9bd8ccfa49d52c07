import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { openStores } from '../src/storage/open-storage.ts'
import { CHILD_ENV, temporaryDir } from '../test/server-process.ts'

it('rebuilds the figures of more conversations than are compared at once', async () => {
  const dir = temporaryDir('reports')
  onTestFinished(dir.remove)
  const at = Date.UTC(2026, 2, 1)
  const ids = Array.from({ length: 501 }, (_, index) => `Reported${String(index).padStart(12, '0')}`)
  const before = await openStores({ dataDir: dir.path })
  await Promise.all(
    ids.map((clientId) =>
      before.storage.messages.append({
        clientId,
        senderId: clientId,
        message: 'Hello',
        nonce: 'n'.repeat(20),
        at,
      }),
    ),
  )
  await before.storage.close()
  const argv = [join(import.meta.dirname, 'reports.ts'), 'rebuild']
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    env: { ...CHILD_ENV, DATA_DIR: dir.path },
  })
  expect(stdout).toContain('rebuilt')
  const after = await openStores({ dataDir: dir.path })
  onTestFinished(() => after.storage.close())
  expect((await after.storage.reports.day('2026-03-01'))?.data).toContain('"conversations":501')
}, 60_000)
