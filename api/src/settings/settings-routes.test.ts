import { type Card, DEFAULT_SETTINGS, type Settings } from '@proctorpass/shared/schemas/settings'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { createSettings, type SettingsUseCases } from './settings.ts'

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'chat@example.com' }
let test: TestApp
let bearer: { authorization: string }
/** The version that is stored. */
let version = 0
beforeAll(async () => {
  test = await buildTestApp({ variables: MAIL })
  bearer = (await test.signIn()).bearer
})
afterAll(() => test.close())

const read = async () => (await test.call('GET', '/api/settings', { headers: bearer })).json() as Settings
const put = (body: object) => test.call('PUT', '/api/settings', { headers: bearer, payload: body })
beforeEach(async () => {
  version = (await read()).version
})

const HOURS = {
  timeZone: 'Europe/Berlin',
  spans: [
    { day: 1, from: '13:00', to: '24:00' },
    { day: 1, from: '09:00', to: '13:00' },
    { day: 7, from: '00:00', to: '00:01' },
  ],
  closed: ['2026-12-25', '2028-02-29'],
}
const CARD: Card = {
  id: 'faq-help',
  path: '/faq*',
  afterSeconds: 20,
  language: null,
  onlineOnly: true,
  text: { en: 'Any questions left?', zh: '' },
  greeting: { en: 'Which question is open?', zh: '' },
}
const FULL: Omit<Settings, 'version'> = {
  hours: HOURS,
  away: { en: 'We are away.\nWrite anyway.', zh: '我们不在' },
  greeting: { en: 'Hello', zh: '' },
  quickReplies: { en: ['My exam starts soon', 'Prices'], zh: ['价格'] },
  languages: ['en', 'zh'],
  preChat: { name: 'optional', email: 'required', examAt: 'off' },
  files: true,
  filesNotice: { en: 'Send no exam content.', zh: '' },
  secondFactor: 'optional',
  showTeam: true,
  rating: true,
  suggestions: false,
  cards: [CARD],
  retentionDays: 30,
  escalation: { afterSeconds: 15, thenMailMinutes: 1_440 },
}
const refused = async (change: object) => {
  const answer = await put({ ...FULL, version, ...change })
  expect((await read()).version).toBe(version)
  return [answer.statusCode, answer.json().details?.[0]?.field]
}

it('answers the defaults until they are changed', async () => {
  expect(await read()).toEqual(DEFAULT_SETTINGS)
})

it('stores and answers the whole document under the next version', async () => {
  const answer = await put({ ...FULL, version })
  expect([answer.statusCode, answer.json()]).toEqual([200, { ...FULL, version: version + 1 }])
  expect(await read()).toEqual(answer.json())
})

it('trims texts, writes a day once and ignores unknown fields', async () => {
  const hours = { ...HOURS, closed: ['2026-12-25', '2026-12-25'], more: 1 }
  const away = { en: ' a\r\nb\tc \n', zh: ' ', tlh: 'x', FR: 'x', de: ' ' }
  const quickReplies = { en: [' Hi '], zh: [] }
  const cards = [{ ...CARD, path: ' /faq* ', text: { en: ' a\r\nb ', zh: ' ' }, more: 1 }]
  const answer = await put({ ...FULL, hours, away, quickReplies, cards, version, admin: true })
  expect(answer.json()).toEqual({
    ...FULL,
    hours: { ...HOURS, closed: ['2026-12-25'] },
    away: { en: 'a\nb c', zh: '' },
    quickReplies: { en: ['Hi'], zh: [] },
    cards: [{ ...CARD, text: { en: 'a\nb', zh: '' } }],
    version: version + 1,
  })
})

it('leaves showTeam as it is if it is missing', async () => {
  for (const showTeam of [true, false]) {
    const { version } = (await put({ ...FULL, showTeam, version: (await read()).version })).json()
    const { showTeam: _, ...older } = FULL
    const answer = await put({ ...older, version })
    expect([answer.statusCode, answer.json().showTeam]).toEqual([200, showTeam])
  }
})

it('keeps texts in each known language, switched on or not', async () => {
  const texts = { en: 'Hello', zh: '', de: 'Hallo', 'pt-BR': 'Olá' }
  const localized = { away: texts, greeting: texts, filesNotice: texts }
  const quickReplies = { en: ['Hi'], zh: [], de: ['Hallo'], fr: [] }
  const cards = [{ ...CARD, language: 'de', text: texts, greeting: { en: '', zh: '', de: 'Hallo' } }]
  const answer = await put({ ...FULL, ...localized, quickReplies, cards, version })
  expect(answer.json()).toMatchObject({
    ...localized,
    cards,
    quickReplies: { en: ['Hi'], zh: [], de: ['Hallo'] },
  })
  expect(answer.json().quickReplies).not.toHaveProperty('fr')
  expect(await read()).toEqual(answer.json())
})

it('refuses another version than the stored one, and changes nothing', async () => {
  for (const stale of [version + 1, version + 100]) {
    const answer = await put({ ...FULL, version: stale })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { code: 'conflict', details: [{ field: 'version', message: expect.stringContaining('Someone else') }] },
    ])
  }
  expect((await read()).version).toBe(version)
})

it('stores one of several changes of one version at once', async () => {
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((en) => put({ ...FULL, away: { en, zh: '' }, version })),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409])
  expect(await read()).toEqual(answers.find(({ statusCode }) => statusCode === 200)?.json())
})

describe('names the wrong field', () => {
  it.each([undefined, null, '1', -1, 1.5])('version %j', async (wrong) => {
    expect(await refused({ version: wrong })).toEqual([400, 'version'])
  })

  it.each(Object.keys(FULL).filter((field) => !['languages', 'showTeam'].includes(field)))(
    '%s, when it is missing',
    async (field) => {
      expect(await refused({ [field]: undefined })).toEqual([400, field])
    },
  )

  const hours = (change: object) => ({ hours: { ...HOURS, ...change } })
  const card = (change: object) => ({ cards: [CARD, { ...CARD, id: 'other', ...change }] })
  const span = (from: string, to: string, day = 2) => hours({ spans: [...HOURS.spans, { day, from, to }] })
  it.each<[string, object]>([
    ['hours', { hours: 'always' }],
    ['hours/timeZone', hours({ timeZone: 'Europe/Atlantis' })],
    ['hours/timeZone', hours({ timeZone: '' })],
    ['hours/timeZone', hours({ timeZone: '+02:00' })],
    ['hours/timeZone', hours({ timeZone: 5 })],
    ['hours/spans/0/day', hours({ spans: [{ day: 0, from: '09:00', to: '10:00' }] })],
    ['hours/spans/0/day', hours({ spans: [{ day: 8, from: '09:00', to: '10:00' }] })],
    ['hours/spans/3/from', span('24:00', '24:00')],
    ['hours/spans/3/from', span('9:00', '10:00')],
    ['hours/spans/3/from', span('09:60', '10:00')],
    ['hours/spans/3/to', span('09:00', '24:01')],
    ['hours/spans/3/to', span('09:00', '25:00')],
    ['hours/spans/3/to', span('09:00', '09:00')],
    ['hours/spans/3/to', span('22:00', '06:00')],
    ['hours/spans/3/from', span('08:00', '09:01', 1)],
    ['hours/spans/3/from', span('10:00', '11:00', 1)],
    ['hours/spans/3/from', span('00:00', '24:00', 1)],
    ['hours/spans', hours({ spans: Array(71).fill({ day: 1, from: '09:00', to: '10:00' }) })],
    ['hours/closed/0', hours({ closed: ['2026-02-30'] })],
    ['hours/closed/1', hours({ closed: ['2028-02-29', '2027-02-29'] })],
    ['hours/closed/0', hours({ closed: ['2026-13-01'] })],
    ['hours/closed/0', hours({ closed: ['2026-1-1'] })],
    ['hours/closed', hours({ closed: Array(367).fill('2026-01-01') })],
    ['away/en', { away: { en: 'x'.repeat(1_001), zh: '' } }],
    ['away/zh', { away: { en: '', zh: 'a\u0007b' } }],
    ['away', { away: 'gone' }],
    ['greeting/en', { greeting: { en: '\u0000', zh: '' } }],
    ['greeting/zh', { greeting: { en: '', zh: '\ud800' } }],
    ['greeting/en', { greeting: { en: '\u202eabc', zh: '' } }],
    ['filesNotice/en', { filesNotice: { en: '\u009f', zh: '' } }],
    ['quickReplies/en/0', { quickReplies: { en: [' '], zh: [] } }],
    ['quickReplies/zh/1', { quickReplies: { en: [], zh: ['a', 'x'.repeat(81)] } }],
    ['quickReplies/en/0', { quickReplies: { en: ['a\nb'], zh: [] } }],
    ['quickReplies/en', { quickReplies: { en: Array(6).fill('a'), zh: [] } }],
    ['preChat/name', { preChat: { ...FULL.preChat, name: 'always' } }],
    ['files', { files: 'true' }],
    ['rating', { rating: 1 }],
    ['showTeam', { showTeam: 'true' }],
    ['showTeam', { showTeam: null }],
    ['cards', { cards: null }],
    ['cards', { cards: Array.from({ length: 11 }, (_, id) => ({ ...CARD, id: `${id}` })) }],
    ['cards/1/id', card({ id: CARD.id })],
    ['cards/1/id', card({ id: '' })],
    ['cards/1/id', card({ id: 'a b' })],
    ['cards/1/id', card({ id: 'x'.repeat(41) })],
    ['cards/1/path', card({ path: '' })],
    ['cards/1/path', card({ path: 'faq' })],
    ['cards/1/path', card({ path: 'https://example.com/faq' })],
    ['cards/1/path', card({ path: '/faq?q=1' })],
    ['cards/1/path', card({ path: '/a b' })],
    ['cards/1/path', card({ path: '/\u0000' })],
    ['cards/1/path', card({ path: `/${'x'.repeat(300)}` })],
    ['cards/1/afterSeconds', card({ afterSeconds: -1 })],
    ['cards/1/afterSeconds', card({ afterSeconds: 3_601 })],
    ['cards/1/afterSeconds', card({ afterSeconds: 1.5 })],
    ['cards/1/language', card({ language: 'FR' })],
    ['cards/1/onlineOnly', card({ onlineOnly: 1 })],
    ['cards/1/text/en', card({ text: { en: '  ', zh: '问题' } })],
    ['cards/1/text/zh', card({ language: 'zh', text: { en: 'Hi', zh: '' } })],
    ['cards/1/text/zh', card({ text: { en: 'Hi', zh: '问'.repeat(161) } })],
    ['cards/1/text/en', card({ text: { en: '\u202eabc', zh: '' } })],
    ['cards/1/greeting/zh', card({ greeting: { en: '', zh: 'x'.repeat(1_001) } })],
    ['retentionDays', { retentionDays: 29 }],
    ['retentionDays', { retentionDays: 3_651 }],
    ['retentionDays', { retentionDays: 30.5 }],
    ['escalation/afterSeconds', { escalation: { afterSeconds: 14, thenMailMinutes: null } }],
    ['escalation/thenMailMinutes', { escalation: { afterSeconds: 60, thenMailMinutes: 0 } }],
  ])('%s %#', async (field, change) => {
    expect(await refused(change)).toEqual([400, field])
  })
})

it('counts code points, and lets spans touch', async () => {
  const away = { en: '😀'.repeat(1_000), zh: '' }
  const answer = await put({ ...FULL, away, quickReplies: { en: ['😀'.repeat(80)], zh: [] }, version })
  expect([answer.statusCode, answer.json().away]).toEqual([200, away])
})

it('logs who changed them, without their texts', async () => {
  await put({ ...FULL, greeting: { en: 'a secret phrase', zh: '' }, version })
  expect(test.log.find((line) => line.includes('settings changed'))).toContain('userId')
  expect(test.log.join('')).not.toContain('secret phrase')
})

describe('stored settings', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a list', [1]],
    ['a text', 'off'],
    ['a wrong type', { ...FULL, files: 'yes' }],
    ['an unknown zone', { ...FULL, hours: { ...HOURS, timeZone: 'Mars/Phobos' } }],
    ['overlapping spans', { ...FULL, hours: { ...HOURS, spans: [HOURS.spans[0], HOURS.spans[0]] } }],
    ['a retention of a day', { ...FULL, retentionDays: 1 }],
    ['control characters', { ...FULL, away: { en: '\u0007', zh: '' } }],
  ])('but is %s, gives the defaults and can be replaced', async (_what, value) => {
    expect(await test.storage.documents.write('settings', value, version)).toBe(true)
    expect(await read()).toEqual({ ...DEFAULT_SETTINGS, version: version + 1 })
    const answer = await put({ ...FULL, version: version + 1 })
    expect([answer.statusCode, answer.json().version]).toEqual([200, version + 2])
  })

  it('by an older release gets the defaults of new fields', async () => {
    const { rating: _rating, cards: _cards, showTeam: _showTeam, ...older } = FULL
    await test.storage.documents.write('settings', older, version)
    expect(await read()).toEqual({ ...FULL, rating: false, cards: [], showTeam: false, version: version + 1 })
  })
})

describe('current', () => {
  const admin = { userId: 'a', address: '127.0.0.1' } as Parameters<SettingsUseCases['read']>[0]

  it('has own changes at once, and those of another node soon', async () => {
    const [one, two] = [createSettings({ ...test, mail: true }), createSettings({ ...test, mail: true })]
    expect((await two.current()).version).toBe(version)
    await one.replace(admin, { ...FULL, greeting: { en: 'news', zh: '' }, version })
    expect((await one.current()).greeting.en).toBe('news')
    await vi.waitFor(async () => expect((await two.current()).greeting.en).toBe('news'), { timeout: 5_000 })
  })

  it('reads the store once for many calls', async () => {
    const reads = vi.spyOn(test.storage.documents, 'read')
    const settings = createSettings({ ...test, mail: true })
    await Promise.all(Array.from({ length: 100 }, () => settings.current()))
    await settings.current()
    expect(reads).toHaveBeenCalledTimes(1)
    reads.mockRestore()
  })

  it('keeps the last ones while the store is away, and has the defaults before', async () => {
    await put({ ...FULL, version })
    const settings = createSettings({ ...test, mail: true })
    const reads = vi.spyOn(test.storage.documents, 'read').mockRejectedValue(new Error('away'))
    expect(await settings.current()).toEqual(DEFAULT_SETTINGS)
    await expect(settings.read(admin)).rejects.toThrow('away')
    reads.mockRestore()
    await vi.waitFor(async () => expect((await settings.current()).version).toBe(version + 1), {
      timeout: 5_000,
    })
    const away = vi.spyOn(test.storage.documents, 'read').mockRejectedValue(new Error('away'))
    await vi.waitFor(
      async () => {
        await settings.current()
        expect(away).toHaveBeenCalled()
      },
      { timeout: 5_000 },
    )
    expect((await settings.current()).version).toBe(version + 1)
    away.mockRestore()
  })
})

describe('on a change', () => {
  const listener = vi.fn<(settings: Settings) => void>()
  let settings: SettingsUseCases
  beforeEach(() => {
    settings = createSettings({ ...test, mail: true })
    settings.onChanged(listener)
  })
  afterEach(() => listener.mockClear())

  it('listeners get the settings, and nothing of a refused one', async () => {
    const admin = { userId: 'a', address: '127.0.0.1' } as Parameters<SettingsUseCases['read']>[0]
    await expect(settings.replace(admin, { ...FULL, version: version + 7 })).rejects.toThrow('Someone else')
    expect(listener).not.toHaveBeenCalled()
    const stored = await settings.replace(admin, { ...FULL, version })
    expect(listener).toHaveBeenCalledWith(stored)
  })
})

it('refuses what needs mail where it is not set up, unless that is stored already', async () => {
  const plain = await buildTestApp()
  try {
    const { bearer: headers } = await plain.signIn()
    const save = (version: number, change: Partial<Settings>) =>
      plain.call('PUT', '/api/settings', { headers, payload: { ...DEFAULT_SETTINGS, ...change, version } })
    const escalation = { afterSeconds: 60, thenMailMinutes: 5 }
    const preChat = { ...DEFAULT_SETTINGS.preChat, email: 'required' } as const
    const both = await save(0, { escalation, preChat })
    expect(both.statusCode).toBe(400)
    expect(both.json().details).toEqual(
      ['escalation/thenMailMinutes', 'preChat/email'].map((field) => ({
        field,
        message: expect.stringContaining('SMTP_URL'),
      })),
    )
    const optional = { preChat: { ...preChat, email: 'optional' } as const }
    expect((await save(0, optional)).statusCode).toBe(200)
    const { version: _, ...stored } = { ...DEFAULT_SETTINGS, escalation, preChat }
    await plain.storage.documents.write('settings', stored, 1)
    const later = { escalation: { afterSeconds: 60, thenMailMinutes: 10 }, preChat, rating: true }
    expect((await save(2, later)).statusCode).toBe(200)
    expect((await save(3, optional)).statusCode).toBe(200)
    expect((await save(4, { preChat })).statusCode).toBe(400)
  } finally {
    await plain.close()
  }
})
