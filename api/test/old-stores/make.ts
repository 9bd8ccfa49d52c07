// Makes a store of each schema version that landed, by the server of that commit: node api/test/old-stores/make.ts
// Each is a gzipped SQLite file, with what that server answered about it in a JSON file. Run it again for a new version:
// add its commit below. Existing files are kept.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'

/** A commit of each version, after its migration was final. Versions 10 to 13 landed together. */
const COMMITS: Record<number, string> = {
  1: '50bd4d3',
  2: 'b429484',
  3: '9db6e86',
  4: '56ddf75',
  5: '5f87fbc',
  6: '4be7f4f',
  7: '0a4def1',
  8: '565e3b5',
  9: 'ddce7de',
  13: '48664d1',
  14: 'cd87e93',
  15: 'cf25b3c',
  16: '2537181',
  17: 'cdd9e03',
  18: '21a139b',
  19: '55bdd6a',
  20: '45d1057',
  21: '3f289d5',
  22: '8a94f69',
  23: '62e7602',
  24: 'd65f47a',
  25: '3333264',
}

const here = import.meta.dirname
const root = join(here, '../../..')
const PASSWORD = 'lantern-orbit-velvet-9'
const VISITORS = ['FirstVisitorOfAStore', 'OtherVisitorOfAStore']

for (const [version, commit] of Object.entries(COMMITS)) {
  const name = join(here, `version-${version.padStart(2, '0')}`)
  if (existsSync(`${name}.json`)) continue
  const folder = mkdtempSync(join(tmpdir(), 'proctorpass-old-'))
  try {
    await make(Number(version), commit, folder, name)
    console.log(`version ${version}: made by ${commit}`)
  } catch (error) {
    console.error(`version ${version}: ${(error as Error).message}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function make(version: number, commit: string, folder: string, name: string): Promise<void> {
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const npm = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  execFileSync('npm', npm, { cwd: folder, stdio: 'pipe' })
  const dataDir = join(folder, 'store')
  const port = 20_000 + version
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, ADMIN_PASSWORD: PASSWORD }
  const child = spawn(process.execPath, ['api/src/server.ts'], {
    cwd: folder,
    env: { ...env, SERVE_WEB: 'false', SEED_DEMO: 'false', NODE_ENV: 'production' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  let answers: object
  try {
    for (let tries = 0; ; tries++) {
      if (
        await fetch(`${url}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        break
      if (tries > 200 || child.exitCode !== null) throw new Error(output.slice(-2_000))
      await pause(100)
    }
    answers = await fill(url)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  const db = new DatabaseSync(join(dataDir, 'chat.sqlite'))
  const found = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
  if (found !== version) throw new Error(`It made version ${found}.`)
  db.exec(`VACUUM INTO '${join(folder, 'small.sqlite')}'`)
  db.close()
  writeFileSync(`${name}.sqlite.gz`, gzipSync(readFileSync(join(folder, 'small.sqlite')), { level: 9 }))
  writeFileSync(`${name}.json`, `${JSON.stringify({ version, commit, ...answers }, null, 2)}\n`)
  backUp(folder, dataDir)
}

/** Keeps the first backup of each format. */
function backUp(folder: string, dataDir: string): void {
  const tool = join(folder, 'api/tools/backup.ts')
  if (!existsSync(tool)) return
  const file = join(folder, 'a.backup')
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  try {
    execFileSync(process.execPath, [tool, file], { cwd: folder, env, stdio: 'pipe' })
  } catch {
    // In some commits the command is broken.
    return
  }
  const bytes = readFileSync(file)
  const { version } = JSON.parse(gunzipSync(bytes).toString().split('\n')[0] ?? '')
  const kept = join(here, `format-${version}.backup`)
  if (!existsSync(kept)) writeFileSync(kept, bytes)
}

async function fill(url: string): Promise<object> {
  const call = async (path: string, body?: object, token?: string) => {
    const answer = await fetch(`${url}/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: answers of many releases
    return (await answer.json()) as any
  }
  const say = (clientId: string, senderId: string, message: string, nonce: string, token?: string) =>
    call('/chat', { clientId, senderId, message, nonce }, token)
  const [first = '', second = ''] = VISITORS
  for (const at of [1, 2, 3]) await say(first, first, `question ${at} about the webcam`, `nonce-first-${at}`)
  const { accessToken, user_Id } = await call('/auth', { userName: 'admin', password: PASSWORD })
  await say(first, user_Id, 'an answer about the webcam', 'nonce-answer-1', accessToken)
  await call(`/chat/admin/${first}/read`, { seq: 3 }, accessToken)
  await say(first, first, 'one more', 'nonce-first-4')
  await say(second, second, 'a lonely passport', 'nonce-second-1')
  await call('/contacts', { email: 'ann@example.com', title: 'Refund', message: 'Please call me.' }).catch(
    () => {},
  )
  const list = await call('/chat', undefined, accessToken)
  return {
    conversations: await Promise.all(
      VISITORS.map(async (clientId) => {
        const { messages, seq, read } = await call(`/chat/${clientId}`)
        return { clientId, seq, read, messages }
      }),
    ),
    unread: Object.fromEntries(
      list.map((one: { clientId: string; adminUnread: number }) => [one.clientId, one.adminUnread]),
    ),
  }
}
