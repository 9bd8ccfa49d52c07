import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { LanguageList } from '@proctorpass/shared/schemas/language'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { ENGLISH } from './shipped.ts'

let dir: ReturnType<typeof temporaryDir>
let test: TestApp
let bearer: { authorization: string }
beforeAll(async () => {
  dir = temporaryDir('languages')
  test = await buildTestApp({
    dataDir: dir.path,
  })
  bearer = (await test.signIn()).bearer
})
afterAll(async () => {
  await test.close()
  dir.remove()
})

const list = async () =>
  (await test.call('GET', '/api/languages', { headers: bearer })).json() as LanguageList
const row = async (tag: string) => (await list()).languages.find((each) => each.tag === tag)
const put = (tag: string, payload: object) =>
  test.call('PUT', `/api/languages/${tag}`, { headers: bearer, payload })
const shown = async () => (await test.call('GET', '/api/config')).json().languages
const words = async (tag: string, v?: string) =>
  test.call('GET', `/words/${tag}.json${v === undefined ? '' : `?v=${v}`}`)

it('begins with what the release ships', async () => {
  expect(await row('zh')).toEqual({
    tag: 'zh',
    name: '中文',
    dir: 'ltr',
    shipped: true,
    own: null,
    missing: 0,
  })
  expect((await list()).problems).toEqual([])
  expect(await shown()).toEqual({ revision: expect.stringMatching(/^[\w-]{12}$/), tags: ['en', 'zh'] })
})

it('serves the words of the current revision for good', async () => {
  const { revision } = await shown()
  const answer = await words('zh', revision)
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const keys = Object.keys(answer.json())
  expect(answer.json()['view.send']).toBe('发送')
  expect(keys.filter((key) => /^(mail|page)\./.test(key))).toEqual([])
  expect(keys.filter((key) => !(key in ENGLISH))).toEqual([])
  expect((await words('zh', 'other')).headers['cache-control']).toBe('no-cache')
  expect((await words('zh')).headers['cache-control']).toBe('no-cache')
  const packed = await test.call('GET', '/words/zh.json', { headers: { 'accept-encoding': 'br' } })
  expect(JSON.parse(brotliDecompressSync(packed.rawPayload).toString())).toEqual(answer.json())
  expect(packed.rawPayload.length).toBeLessThan(4_096)
})

it.each([
  'xx.json',
  'zh',
  'zh.txt',
  'ZH.json',
  '__proto__.json',
  'constructor.json',
  '..%2fzh.json',
  '.json',
])('has no words at %s', async (file) => {
  expect((await test.call('GET', `/words/${file}`)).statusCode).toBe(404)
})

it('adds a language by an upload, under a new revision', async () => {
  const before = await shown()
  const answer = await put('ur', { 'view.send': 'بھیجیں' })
  const data = {
    tag: 'ur',
    name: 'اردو',
    dir: 'rtl',
    shipped: false,
    own: 'upload',
    missing: Object.keys(ENGLISH).length - 2,
  }
  expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Language saved', data }])
  expect(await row('ur')).toEqual(data)
  expect((await words('ur')).json()).toMatchObject({
    'language.dir': 'rtl',
    'view.send': 'بھیجیں',
    'view.sent': 'Sent',
  })
  expect((await shown()).revision).not.toBe(before.revision)
  // Only the settings switch it on.
  expect((await shown()).tags).toEqual(['en', 'zh'])
  const settings = { ...DEFAULT_SETTINGS, languages: ['zh', 'ur'] }
  const saved = await test.call('PUT', '/api/settings', { headers: bearer, payload: settings })
  expect(saved.json().languages).toEqual(['en', 'ur', 'zh'])
  expect((await shown()).tags).toEqual(['en', 'ur', 'zh'])
})

it('downloads a whole file, which can be uploaded again', async () => {
  const answer = await test.call('GET', '/api/languages/ur', { headers: bearer })
  expect(answer.headers['content-disposition']).toBe('attachment; filename="ur.json"')
  const file = answer.json()
  expect(Object.keys(file)).toEqual(Object.keys(ENGLISH))
  expect((await put('sk', file)).statusCode).toBe(400)
  expect((await put('ur', file)).statusCode).toBe(200)
  expect(await row('ur')).toMatchObject({ missing: 0 })
  await put('sk', {})
  const polish = (await test.call('GET', '/api/languages/sk', { headers: bearer })).json()
  expect(Object.keys(polish['view.newMessages']).sort()).toEqual(['few', 'many', 'one', 'other'])
  expect((await put('sk', polish)).statusCode).toBe(200)
  expect((await test.call('GET', '/api/languages/xx', { headers: bearer })).statusCode).toBe(404)
})

it('refuses an upload with a detail for each wrong key, and stores nothing', async () => {
  const answer = await put('da', { 'view.send': '<b>', 'view.typing': 'x', 'view.sent': 'Gesendet' })
  expect([answer.statusCode, answer.json().details]).toEqual([
    400,
    [
      { field: 'view.send', message: 'view.send must be plain text without HTML.' },
      { field: 'view.typing', message: 'view.typing must have exactly these placeholders: {name}.' },
    ],
  ])
  expect((await row('da'))?.own ?? null).toBeNull()
  for (const tag of ['DA', 'pt-br', 'da-u-nu-arab', '__proto__', '%00']) {
    expect((await put(tag, { 'view.send': 'x' })).json()).toMatchObject({
      code: 'invalid-input',
      details: [{ field: 'tag' }],
    })
  }
  for (const payload of ['[]', '"x"', 'null', '{"view.send":']) {
    const headers = { ...bearer, 'content-type': 'application/json' }
    const answer = await test.call('PUT', '/api/languages/da', { headers, payload })
    expect([payload, answer.statusCode]).toEqual([payload, 400])
  }
  expect((await put('da', { 'view.send': 'x'.repeat(90_000) })).statusCode).toBe(413)
})

it('lets a file in DATA_DIR precede an upload key by key, and shows both', async () => {
  await put('da', { 'view.send': 'Senden', 'view.sent': 'Gesendet' })
  mkdirSync(join(dir.path, 'languages'))
  writeFileSync(join(dir.path, 'languages/da.json'), '{"view.send":"Abschicken","view.typing":"tippt"}')
  writeFileSync(join(dir.path, 'languages/sv.json'), 'no JSON')
  await vi.waitFor(async () => expect((await words('da')).json()['view.send']).toBe('Abschicken'), 20_000)
  expect((await words('da')).json()).toMatchObject({
    'view.sent': 'Gesendet',
    'view.typing': '{name} is typing...',
  })
  expect(await row('da')).toMatchObject({ own: 'file' })
  const problems = [
    {
      file: 'languages/da.json',
      message: 'languages/da.json: view.typing must have exactly these placeholders: {name}.',
    },
    { file: 'languages/sv.json', message: 'languages/sv.json: the file is not valid JSON in UTF-8.' },
  ]
  expect((await list()).problems).toEqual(problems)
  // The next look at the folder says nothing again.
  writeFileSync(join(dir.path, 'languages/fi.json'), '{"view.send":"Enviar"}')
  await vi.waitFor(async () => expect((await words('fi')).json()['view.send']).toBe('Enviar'), 20_000)
  const logged = test.log
    .map((line) => JSON.parse(line).msg)
    .filter((msg) => String(msg).startsWith('languages/'))
  expect(logged).toEqual(problems.map(({ message }) => message))
})

it('has the words of an English that the operator changed loaded, without its general refusals', async () => {
  expect((await words('en')).json()['refusals.blocked']).toBeUndefined()
  await put('en', { 'view.send': 'Post', 'refusals.conflict': 'Reload, please.' })
  expect(await shown()).toMatchObject({ ownEnglish: true })
  const served = (await words('en')).json()
  expect([served['view.send'], served['refusals.conflict'], served['refusals.blocked']]).toEqual([
    'Post',
    'Reload, please.',
    undefined,
  ])
  // English stands in for missing texts as the operator wrote it.
  expect((await words('sk')).json()['view.send']).toBe('Send')
  expect((await words('da')).json()['view.retry']).toBe('Retry')
  await put('da', {})
  expect((await words('da')).json()['refusals.conflict']).toBe('Reload, please.')
})

it('deletes an upload once, and writes both to the audit log', async () => {
  const remove = (tag: string) => test.call('DELETE', `/api/languages/${tag}`, { headers: bearer })
  expect([(await remove('en')).statusCode, (await remove('en')).statusCode]).toEqual([204, 404])
  expect((await remove('zh')).statusCode).toBe(404)
  expect(await shown()).not.toHaveProperty('ownEnglish')
  const { entries } = (await test.call('GET', '/api/audit', { headers: bearer })).json()
  const actions = entries.map(
    ({ action, target }: { action: string; target: string }) => `${action} ${target}`,
  )
  expect(actions).toEqual(expect.arrayContaining(['language.deleted en', 'language.uploaded en']))
  expect(actions.filter((action: string) => action.startsWith('language.deleted'))).toEqual([
    'language.deleted en',
  ])
})

it('holds at most 50 languages', async () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const tags = [...letters].flatMap((a) => [...letters].map((b) => `q${a}${b}`))
  let last = 200
  for (const tag of tags) {
    const answer = await put(tag, {})
    last = answer.statusCode
    if (last !== 200) {
      expect(answer.json().details).toEqual([
        { field: 'tag', message: 'There can be 50 languages. Delete one first.' },
      ])
      break
    }
  }
  expect([last, (await list()).languages.length]).toEqual([400, 50])
})

it('keeps uploads over a restart, and refuses languages that are unknown', async () => {
  const settings = (await test.call('GET', '/api/settings', { headers: bearer })).json()
  const answer = await test.call('PUT', '/api/settings', {
    headers: bearer,
    payload: { ...settings, languages: ['en', 'tlh', 'ur'] },
  })
  expect([answer.statusCode, answer.json().details]).toEqual([
    400,
    [{ field: 'languages/1', message: 'There is no language file for tlh' }],
  ])
  const old = { ...settings, languages: undefined }
  const kept = await test.call('PUT', '/api/settings', { headers: bearer, payload: old })
  expect(kept.json().languages).toEqual(['en', 'ur', 'zh'])
})
