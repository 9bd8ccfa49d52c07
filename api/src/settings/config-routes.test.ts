import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { openStores } from '../storage/open-storage.ts'

let test: TestApp
let bearer: { authorization: string }
/** A Monday. */
let now = Date.parse('2026-11-23T12:00:00Z')
beforeAll(async () => {
  test = await buildTestApp({ now: () => now })
  bearer = (await test.signIn()).bearer
})
afterAll(() => test.close())

const chat = async () => (await test.call('GET', '/api/config')).json().chat
const { away, greeting, quickReplies, preChat, files, filesNotice, rating, suggestions, cards } =
  DEFAULT_SETTINGS
const CARD = {
  ...{ id: 'one', path: '*', afterSeconds: 5, language: null, onlineOnly: false },
  ...{ text: { en: 'Any questions?', zh: '' }, greeting: { en: 'Ask', zh: '' } },
}
const STATIC = { transport: 'push', pollMs: expect.any(Number), unreadPollMs: expect.any(Number) }

it('is open at first, with everything off', async () => {
  const answer = await test.call('GET', '/api/config')
  expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-cache'])
  expect(answer.json()).toMatchObject({ brand: 'ProctorPass', contacts: {} })
  expect(answer.json().chat).toEqual({
    ...STATIC,
    ...{ open: true, opensAt: null, waitMinutes: null, mail: false, adminOnline: false, team: [] },
    ...{ away, greeting, quickReplies, preChat, files, filesNotice, rating, suggestions, cards },
  })
})

it('follows the settings and the time, and shows nothing else of the settings', async () => {
  const hours = { timeZone: 'UTC', spans: [{ day: 1, from: '09:00', to: '17:00' }], closed: ['2026-11-30'] }
  const changed = {
    away: { en: 'Away', zh: '离开' },
    greeting: { en: 'Hi', zh: '' },
    quickReplies: { en: ['Prices'], zh: [] },
    preChat: { name: 'required', email: 'optional', examAt: 'off' },
    files: true,
    filesNotice: { en: 'None', zh: '' },
    rating: true,
    suggestions: false,
    cards: [CARD, { ...CARD, id: 'other', greeting: { en: '', zh: '你好' } }],
  }
  const payload = { ...DEFAULT_SETTINGS, ...changed, hours, retentionDays: 30, version: 0 }
  expect((await test.call('PUT', '/api/settings', { headers: bearer, payload })).statusCode).toBe(200)
  expect(await chat()).toEqual({
    ...STATIC,
    ...changed,
    open: true,
    opensAt: null,
    waitMinutes: null,
    mail: false,
    adminOnline: false,
    team: [],
  })
  now = Date.parse('2026-11-23T17:00:00Z')
  expect(await chat()).toMatchObject({ open: false, opensAt: '2026-12-07T09:00:00.000Z' })
  now = Date.parse('2026-12-07T09:00:00Z')
  expect(await chat()).toMatchObject({ open: true, opensAt: null })
})

it('has texts in the languages that are switched on, or in one of them and English', async () => {
  const texts = { en: 'Hi', zh: '你好', de: 'Hallo', fr: 'Salut' }
  const cards = [{ ...CARD, text: texts, greeting: { en: '', zh: '' } }]
  const stored = (await test.call('GET', '/api/settings', { headers: bearer })).json()
  const quickReplies = { en: ['Prices'], zh: [], de: ['Preise'] }
  const languages = ['en', 'de']
  const payload = { ...stored, away: texts, greeting: texts, quickReplies, cards, languages }
  expect((await test.call('PUT', '/api/settings', { headers: bearer, payload })).statusCode).toBe(200)
  const german = { en: 'Hi', de: 'Hallo' }
  expect(await chat()).toMatchObject({ away: german, quickReplies: { en: ['Prices'], de: ['Preise'] } })
  for (const [lang, expected] of [
    ['de', german],
    ['fr', { en: 'Hi' }],
    ['en', { en: 'Hi' }],
    ['x%00', { en: 'Hi' }],
  ] as const) {
    const answer = await test.call('GET', `/api/config?lang=${lang}`)
    const { away, cards } = answer.json().chat
    expect([away, cards[0].text, cards[0].greeting]).toEqual([expected, expected, expected])
  }
  const back = { ...stored, version: stored.version + 1 }
  expect((await test.call('PUT', '/api/settings', { headers: bearer, payload: back })).statusCode).toBe(200)
})

it('gives a card without a greeting the usual one', async () => {
  const cards = [{ ...CARD, greeting: { en: '', zh: '' } }]
  const stored = (await test.call('GET', '/api/settings', { headers: bearer })).json()
  const payload = { ...stored, greeting: { en: 'Hi', zh: '' }, cards }
  expect((await test.call('PUT', '/api/settings', { headers: bearer, payload })).statusCode).toBe(200)
  expect((await chat()).cards).toEqual([{ ...CARD, greeting: { en: 'Hi', zh: '' } }])
})

it('answers with the last known settings while the store is away', async () => {
  const reads = vi.spyOn(test.storage.documents, 'read').mockRejectedValue(new Error('away'))
  await vi.waitFor(
    async () => {
      const answer = await test.call('GET', '/api/config')
      expect([answer.statusCode, answer.json().chat.away.en]).toEqual([200, 'Away'])
      expect(reads).toHaveBeenCalled()
    },
    { timeout: 5_000 },
  )
  reads.mockRestore()
})

it('knows the stored settings from the start, also when the store hangs then', async () => {
  const dir = temporaryDir('settings')
  const stores = await openStores({ dataDir: dir.path })
  const { documents } = stores.storage
  await documents.write('settings', { ...DEFAULT_SETTINGS, files: true }, 0)
  const restarted = await buildTestApp({ dataDir: dir.path, stores })
  vi.spyOn(documents, 'read').mockImplementation(() => new Promise<never>(() => {}))
  expect((await restarted.call('GET', '/api/config')).json().chat).toMatchObject({ files: true })
  await restarted.close()
  await stores.storage.close()
  dir.remove()
})

it('answers with the last known settings while the store hangs', async () => {
  const hangs = () => new Promise<never>(() => {})
  const other = await buildTestApp()
  vi.spyOn(other.storage.documents, 'read').mockImplementation(hangs)
  vi.spyOn(other.storage.answers, 'waits').mockImplementation(hangs)
  for (const _ of ['waits for the first read', 'waits no more']) {
    const answer = await other.call('GET', '/api/config')
    expect([answer.statusCode, answer.json().chat.waitMinutes]).toEqual([200, null])
  }
  await other.close()
})

it('tells browsers that poll, too', async () => {
  const polling = await buildTestApp({ variables: { CHAT_TRANSPORT: 'polling' } })
  const { chat } = (await polling.call('GET', '/api/config')).json()
  expect(chat).toMatchObject({ transport: 'polling', open: true, waitMinutes: null })
  await polling.close()
})
