import { AppError } from '@proctorpass/shared/errors'
import type { TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import { VERSIONS_KEPT } from '@proctorpass/shared/limits'
import type { Text } from '@proctorpass/shared/schemas/text'
import { afterEach, expect, it } from 'vitest'
import { createRandom, type Random } from '../../test/faults/random.ts'
import { shippedSample } from '../../test/shipped-sample.ts'
import type { AdminCaller } from '../auth/caller.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createTextUseCases } from './text-use-cases.ts'

/** Only pages need these. */
const UNUSED = {
  blogs: { list: async () => ({ blogs: [], count: 0 }) },
  env: { brand: 'A', supportEmail: 'a@a.example' },
  languages: { textsFor: () => Promise.reject(new Error('no page')), shown: async () => ({}) },
}

const ADMINS = ['a', 'b'].map((digit): AdminCaller => {
  return { side: 'admin', userId: digit.repeat(24), userName: digit, sid: '', address: '192.0.2.1' }
})

const languagesOn = async () => ['en', 'zh']
const isOn = async (lang: string) => ['en', 'zh'].includes(lang)

let storage: Storage
afterEach(() => storage.close())

/** A store whose calls sometimes fail, before or after they do what they should. */
function failing(random: Random): Storage {
  const repositories = ['texts', 'versions', 'documents'] as const
  const flaky = (repository: object) =>
    new Proxy(repository, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>
        return async (...args: unknown[]) => {
          if (random.chance(0.03)) throw new AppError('unavailable', 'before')
          const result = await method(...args)
          if (random.chance(0.03)) throw new AppError('unavailable', 'after')
          return result
        }
      },
    })
  const replaced = Object.fromEntries(repositories.map((name) => [name, flaky(storage[name])]))
  return Object.assign(Object.create(storage), replaced) as Storage
}

const open = (over: Storage, words?: string) =>
  createTextUseCases({
    ...UNUSED,
    ...{ storage: over, shipped: shippedSample(words), now: () => 1 },
    uploads: { release: async () => {} },
    isOn,
    languagesOn,
    contentRevision: { changed: async () => {} },
    clean: async (html) => ({ html, isEmpty: false, words: 1 }),
  }).texts

const leadOf = ({ fields }: Pick<Text, 'fields'>) => (fields as TextFieldsByKind['terms']).lead

it.each(Array.from({ length: 25 }, (_, seed) => [seed]))(
  'keeps every change that it accepted, without gaps, also when calls fail (seed %i)',
  async (seed) => {
    storage = openSqlite(':memory:')
    const random = createRandom(seed, 'texts')
    const [texts, sound] = [open(failing(random)), open(storage)]
    const [admin = ADMINS[0] as AdminCaller] = ADMINS
    /** What each accepted version says. */
    const accepted = new Map<number, string>()

    async function change(by: AdminCaller, { version, fields }: Text, word: string): Promise<void> {
      const act = random.pick(['write', 'write', 'write', 'reset', 'restore'] as const)
      const lead = `Lead ${word}`
      const stored = await {
        write: () => texts.write(by, 'terms', { fields: { ...fields, lead }, version }),
        reset: () => texts.reset(by, 'terms', version),
        restore: () => texts.restore(by, 'terms', `${random.integer(0, version + 1)}`, { version }),
      }
        [act]()
        .catch((error) => {
          if (error instanceof AppError && ['unavailable', 'conflict', 'not-found'].includes(error.code))
            return
          throw error
        })
      if (stored === undefined || stored.version === version) return
      expect(accepted.has(stored.version)).toBe(false)
      accepted.set(stored.version, leadOf(stored))
      if (act === 'write') expect(leadOf(stored)).toBe(lead)
    }

    for (let step = 0; step < 60; step += 1) {
      const seen = await sound.read('terms')
      const both = random.chance(0.4) ? ADMINS : [random.pick(ADMINS)]
      // An answer may be read after the other admin's next change, so only one of them can be what was seen.
      await Promise.all(both.map((by, index) => change(by, seen, `${step} ${index}`)))
      const { version } = await sound.read('terms')
      const { versions } = await sound.versions(admin, 'terms')
      const oldest = Math.max(1, version - VERSIONS_KEPT + 1)
      expect(versions.map(({ n }) => n)).toEqual(
        Array.from({ length: version - oldest + 1 }, (_, index) => version - index).slice(0, VERSIONS_KEPT),
      )
      for (const { n } of versions) {
        if (!accepted.has(n)) continue
        expect(leadOf(await sound.version(admin, 'terms', String(n)))).toBe(accepted.get(n))
      }
    }
    expect(accepted.size).toBeGreaterThan(10)
  },
)

it('never lets a release touch an own text, and says what ships now', async () => {
  storage = openSqlite(':memory:')
  const [admin = ADMINS[0] as AdminCaller] = ADMINS
  const before = open(storage)
  const { fields } = await before.read('terms')
  const own = await before.write(admin, 'terms', { fields: { ...fields, lead: 'Own' }, version: 0 })
  const translated = await before.write(
    admin,
    'terms',
    { fields: { ...fields, lead: '自己' }, version: 0 },
    'zh',
  )

  const after = open(storage, 'Second release')
  expect(await after.read('terms')).toEqual({ ...own, shippedChanged: true })
  expect(await after.read('terms', 'zh')).toEqual({ ...translated, shippedChanged: true })
  expect(leadOf(await after.read('privacy'))).toBe('Second release')
  expect(leadOf(await after.version(admin, 'terms', '0'))).toBe('Second release')
  const changed = (await after.list(admin)).texts.filter(({ shippedChanged }) => shippedChanged)
  expect(changed.map(({ key, lang }) => `${key} ${lang}`)).toEqual(['terms en', 'terms zh'])

  const kept = await after.write(admin, 'terms', { fields: own.fields, version: 1 })
  expect(kept).toEqual(own)
  const reset = await after.reset(admin, 'terms', 1)
  expect(reset).toMatchObject({ state: 'shipped', version: 2, shippedChanged: false })
  expect(leadOf(reset)).toBe('Second release')
})

it('keeps edited questions that a release no longer ships, and follows the list until it is ordered', async () => {
  storage = openSqlite(':memory:')
  const [admin = ADMINS[0] as AdminCaller] = ADMINS
  const faqOf = (questions?: [string, ...string[]][]) =>
    createTextUseCases({
      ...UNUSED,
      ...{ storage, shipped: shippedSample('Words', questions), now: () => 1 },
      uploads: { release: async () => {} },
      isOn,
      languagesOn,
      contentRevision: { changed: async () => {} },
      clean: async (html) => ({ html, isEmpty: false, words: 1 }),
    }).faq
  const ids = async (faq: ReturnType<typeof faqOf>) =>
    (await faq.read()).items.map(({ _id, group }) => `${group} ${_id}`)
  const first = faqOf()
  await first.change(admin, 'refunds', { answer: '<p>Own</p>', version: 0 })
  const next = faqOf([['booking', 'new', 'which-exams']])
  expect(await ids(next)).toEqual(['booking new', 'booking which-exams', 'payment refunds'])
  expect((await next.read()).items[2]).toMatchObject({ answer: '<p>Own</p>', state: 'own' })

  const { items, version } = await next.read()
  await next.order(admin, { items: items.toReversed(), version })
  const last = faqOf([['booking', 'newer', 'new', 'which-exams']])
  expect(await ids(last)).toEqual(['payment refunds', 'booking which-exams', 'booking new'])
  await last.remove(admin, 'refunds')
  await last.resetOrder(admin)
  expect(await ids(last)).toEqual(['booking newer', 'booking new', 'booking which-exams'])
})
