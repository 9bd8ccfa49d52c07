import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnv } from '../src/env/env.ts'
import {
  ANYWHERE,
  asRun,
  gaps,
  IN_A_CHECKOUT,
  MIGRATE,
  readDocuments,
  STARTS,
} from './documented-commands.ts'
import { describeOnMongo } from './mongo-server.ts'
import { CHILD_ENV, temporaryDir } from './server-process.ts'
import { Shell } from './shell-commands.ts'

const ROOT = join(import.meta.dirname, '../..')
const dir = temporaryDir('documented')
const dataDir = join(dir.path, 'data')
const env = {
  ...CHILD_ENV,
  PATH: `${dirname(process.execPath)}:${CHILD_ENV.PATH}`,
  // Replaces values of the checkout's own .env.
  ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, MONGODB_URL: '', REDIS_URL: '', JWT_SECRET: '' },
}
const checkout = new Shell(ROOT, env)
afterAll(() => {
  checkout.close()
  dir.remove()
})

it('runs each command of the documents, or says why not', () => {
  expect(gaps()).toEqual([])
})

it('reads the settings of the documents', () => {
  const { settings } = readDocuments()
  expect(settings).toHaveLength(2)
  // The second block is beside the first.
  const printed = execFileSync('sh', ['-c', `set -a\n${settings.join('\n')}\nenv`], {
    encoding: 'utf8',
    env: {},
  })
  const variables = Object.fromEntries(printed.split('\n').map((line) => line.split(/=(.*)/s)))
  expect(readEnv({ ...variables, DATA_DIR: dataDir })).toMatchObject({
    mail: { url: expect.stringContaining('mail.example.com:465') },
  })
})

describe('in a checkout', { timeout: 240_000 }, () => {
  // Does nothing when the bundle is up to date, as it is in `npm test`.
  beforeAll(() => {
    execFileSync(process.execPath, [join(ROOT, 'api/tools/prepare.mjs'), '--build'], { cwd: ROOT })
  }, 240_000)

  it.each(STARTS)('%s', async (command) => {
    const server = await checkout.start(command)
    expect(await (await fetch(`${server.url}/faq`)).text()).toContain('<h1')
    await server.stop()
  })

  it('runs the commands of operators', async () => {
    const inDir = (name: string) => join(dir.path, name)
    let newest: string[] = []
    for (const command of IN_A_CHECKOUT) {
      const typed = command
        .replace('12000 HASH', newest.join(' '))
        .replace('chatwoot FILE', `chatwoot ${join(ROOT, 'api/test/imports/chatwoot.json')}`)
        .replace('-- FILE', `-- ${inDir('a.backup')}`)
        .replace('NAME', 'zoe')
        .replace('FOLDER', inDir('restored'))
      const output = await checkout.run(asRun(typed))
      if (command.endsWith('audit -- verify')) newest = /(\d+)\D+([0-9a-f]{64})/.exec(output)?.slice(1) ?? []
    }
  })

  describeOnMongo('with MongoDB', (url) => {
    it(MIGRATE, async () => {
      const shell = new Shell(ROOT, { ...env, MONGODB_URL: url() })
      expect(await shell.run(MIGRATE)).toContain('Copied and verified')
    })
  })
})

const isThere = (command: string) =>
  spawnSync('sh', ['-c', `command -v ${command.split(' ')[0]}`]).status === 0

it.for(ANYWHERE)('%s', async (command, { skip }) => {
  // A machine may lack openssl.
  if (!isThere(command)) skip()
  mkdirSync(join(dir.path, 'deploy'), { recursive: true })
  cpSync(join(ROOT, 'deploy/.env.example'), join(dir.path, 'deploy/.env.example'))
  const output = await new Shell(dir.path, env).run(command)
  if (command.startsWith('openssl')) expect(output.trim()).toHaveLength(64)
  if (command.startsWith('cp'))
    expect(readFileSync(join(dir.path, 'deploy/.env'), 'utf8')).toContain('PUBLIC_URL=')
})
