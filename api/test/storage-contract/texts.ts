import { describe, expect, it } from 'vitest'
import type { TextRecord } from '../../src/storage/model/texts.ts'
import type { Subject } from '../../src/storage/model/versions.ts'
import { ADMIN, type StoreUnderTest, T0 } from './store-under-test.ts'

const image = (digit: number) => `/uploads/${String(digit).repeat(40)}.webp`

export function describeTexts({ storage, reopen }: StoreUnderTest): void {
  describe('texts', () => {
    const text = (_id: string, version = 1, fields: object = { title: '你好 😀 "$a.b"' }): TextRecord => ({
      ...{ _id, version, at: T0 + version, by: ADMIN, own: true, base: null },
      fields: JSON.stringify(fields),
    })

    it('are listed without their fields, also after a restart', async () => {
      const home = text('en home')
      for (const each of [text('zh terms'), home, text('en faq:a')]) await storage.texts.write(each)
      await reopen()
      const { fields: _, ...summary } = home
      expect((await storage.texts.list()).map(({ _id }) => _id)).toEqual(['en faq:a', 'en home', 'zh terms'])
      expect((await storage.texts.list())[1]).toEqual(summary)
      expect(await storage.texts.find('en', 'home')).toEqual(home)
      expect(await storage.texts.find('zh', 'home')).toBeNull()
    })

    it('have questions that are listed by language, with their fields', async () => {
      const ids = ['en faq', 'en faq:a', 'en faq:b-2', 'en home', 'en-GB faq:a', 'zh faq:a']
      for (const _id of ids) await storage.texts.write(text(_id))
      expect(await storage.texts.questions('en')).toEqual([text('en faq:a'), text('en faq:b-2')])
      expect(await storage.texts.questions('de')).toEqual([])
    })

    it('accept one of concurrent changes to a version', async () => {
      for (const version of [1, 2, 3]) {
        const changes = ['One', 'Two', 'Three'].map((title) => text('en home', version, { title }))
        const stored = await Promise.all(changes.map((change) => storage.texts.write(change)))
        expect(stored.filter(Boolean)).toHaveLength(1)
        expect(await storage.texts.find('en', 'home')).toEqual(changes[stored.indexOf(true)])
      }
      expect(await storage.texts.write(text('en home', 3))).toBe(false)
      expect(await storage.texts.write(text('en home', 5))).toBe(false)
      expect(await storage.texts.write(text('en terms', 2))).toBe(false)
    })

    it('begin again once they are removed', async () => {
      await storage.texts.write(text('en faq:a'))
      await storage.texts.write(text('zh faq:a'))
      await storage.texts.remove('en', 'faq:a')
      expect((await storage.texts.list()).map(({ _id }) => _id)).toEqual(['zh faq:a'])
      expect(await storage.texts.write(text('en faq:a'))).toBe(true)
    })
  })

  describe('versions', () => {
    const HOME = 'text en home'
    const version = (n: number, fields: string | null = `{"n":${n}}`) => ({
      n,
      at: T0 + n,
      by: ADMIN,
      fields,
    })
    const numbers = async (subject: Subject, n = 100) =>
      (await storage.versions.list(subject, n)).map((each) => each.n)

    it('are listed the newest first, and found with their fields', async () => {
      for (const n of [2, 1, 10]) await storage.versions.keep(HOME, version(n))
      await reopen()
      expect(await storage.versions.list(HOME, 100)).toEqual(
        [10, 2, 1].map((n) => ({ n, at: T0 + n, by: ADMIN })),
      )
      expect(await numbers(HOME, 10)).toEqual([2, 1])
      expect(await storage.versions.find(HOME, 10)).toEqual(version(10))
      expect(await storage.versions.find(HOME, 3)).toBeNull()
      expect(await storage.versions.find('text zh home', 10)).toBeNull()
    })

    it('stay as they were first kept', async () => {
      await Promise.all([1, 2, 3].map(() => storage.versions.keep(HOME, version(1))))
      await storage.versions.keep(HOME, version(1, null))
      expect(await storage.versions.find(HOME, 1)).toEqual(version(1))
      expect(await numbers(HOME)).toEqual([1])
    })

    it('are those before the present one, of which twenty are kept with it', async () => {
      const others = ['text en hom', 'text en home:a', 'text zh home', `post ${'a'.repeat(24)}`] as const
      for (const subject of others) await storage.versions.keep(subject, version(1))
      for (let n = 1; n <= 25; n += 1) await storage.versions.keep(HOME, version(n))
      expect(await storage.versions.trim(HOME, 26)).toEqual([])
      expect(await numbers(HOME)).toEqual(Array.from({ length: 19 }, (_, index) => 25 - index))
      for (const subject of others) expect(await numbers(subject)).toEqual([1])
      await storage.versions.trim(HOME, 3)
      expect(await numbers(HOME)).toHaveLength(19)
      await storage.versions.end(HOME)
      expect(await numbers(HOME)).toEqual([])
      for (const subject of others) expect(await numbers(subject)).toEqual([1])
    })

    it('refer to uploads until they are gone', async () => {
      const refers = () => Promise.all([1, 2, 3].map((digit) => storage.versions.refersTo(image(digit))))
      const shows = (...digits: number[]) =>
        JSON.stringify({ content: digits.map((digit) => `<img src="${image(digit)}">`).join('') })
      await storage.versions.keep(HOME, version(1, shows(1, 2)))
      await storage.versions.keep(HOME, version(2, shows(2)))
      await storage.versions.show(HOME, 3, shows(3))
      await storage.versions.show('text zh home', 1, shows(3))
      expect(await refers()).toEqual([true, true, true])
      expect(await storage.versions.refersTo(image(1).replace('.webp', '-480.webp'))).toBe(true)
      expect(await storage.versions.refersTo('/uploads/111.webp')).toBe(false)
      expect((await storage.versions.trim(HOME, 21)).sort()).toEqual([image(1), image(2)])
      expect(await refers()).toEqual([false, true, true])
      expect((await storage.versions.end(HOME)).sort()).toEqual([image(2), image(3)])
      expect(await refers()).toEqual([false, false, true])
    })
  })
}
