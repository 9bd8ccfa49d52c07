import { POST_STATES, type PostState } from '@proctorpass/shared/post-states'
import { describe, expect, it } from 'vitest'
import { NEVER } from '../../src/storage/model/blogs.ts'
import { ADMIN, listPosts, post, type StoreUnderTest, T0 } from './store-under-test.ts'

export function describeBlogs({ storage }: StoreUnderTest): void {
  describe('blogs', () => {
    it('are found by slug with their content, and listed without it', async () => {
      const created = await storage.blogs.create(post('first-post'))
      expect(created).toMatchObject({ ...post('first-post'), updatedAt: T0, version: 1 })
      expect(await storage.blogs.findBySlug('first-post')).toEqual(created)
      const { content: _, version: __, editedBy: ___, ...summary } = created ?? {}
      expect((await listPosts(storage, { page: 1, perPage: 1 })).items).toEqual([summary])
    })

    it('are listed in the states that are asked for, by the time of the list', async () => {
      const create = async (slug: string, publishAt: number, createdAt = T0) =>
        storage.blogs.create({ ...post(slug, createdAt), publishAt })
      await create('draft-b', NEVER, T0 + 1_000)
      await create('draft-a', NEVER)
      await create('early', T0 - 9)
      await create('now', T0)
      await create('soon', T0 + 10)
      await create('later', T0 + 20)
      const slugs = async (states: PostState[], now: number, page = { page: 1, perPage: 15 }) => {
        const { items, count } = await storage.blogs.list(page, states, now)
        return [count, ...items.map(({ slug }) => slug)]
      }
      expect(await slugs(['published'], T0)).toEqual([2, 'now', 'early'])
      expect(await slugs(['published'], T0 + 10)).toEqual([3, 'soon', 'now', 'early'])
      expect(await slugs(['scheduled'], T0)).toEqual([2, 'soon', 'later'])
      expect(await slugs(['draft'], T0)).toEqual([2, 'draft-b', 'draft-a'])
      const all = ['draft-b', 'draft-a', 'soon', 'later', 'now', 'early']
      expect(await slugs(['published', 'scheduled', 'draft'], T0)).toEqual([6, ...all])
      for (const perPage of [1, 2, 4, 5]) {
        const paged: (string | number | undefined)[] = []
        for (let page = 1; paged.length < 6; page += 1) {
          const [, ...found] = await slugs([...POST_STATES], T0, { page, perPage })
          expect(found.length).toBeGreaterThan(0)
          paged.push(...found)
        }
        expect(paged).toEqual(all)
      }
      expect(await slugs([...POST_STATES], T0, { page: 7, perPage: 1 })).toEqual([6])
    })

    it('come due once, after the time that is already known', async () => {
      await storage.blogs.create({ ...post('draft'), publishAt: NEVER })
      await storage.blogs.create({ ...post('scheduled'), publishAt: T0 + 10 })
      expect(await storage.blogs.cameDue(T0, T0 + 9)).toBe(false)
      expect(await storage.blogs.cameDue(T0 + 9, T0 + 10)).toBe(true)
      expect(await storage.blogs.cameDue(T0 + 10, T0 + 99)).toBe(false)
    })

    it('are published, scheduled, and drafts again', async () => {
      const created = await storage.blogs.create({ ...post('first'), publishAt: NEVER, authorId: ADMIN })
      expect(created).toMatchObject({ publishAt: NEVER, authorId: ADMIN, readingMinutes: null })
      for (const publishAt of [T0 + 10, T0, NEVER]) {
        await storage.blogs.update(created?._id ?? '', { publishAt, at: T0 })
        await storage.blogs.update(created?._id ?? '', { title: 'The time stays', at: T0 })
        expect(await storage.blogs.findBySlug('first')).toMatchObject({ publishAt, authorId: ADMIN })
      }
    })

    it('know their language, and who stored their version', async () => {
      const created = await storage.blogs.create({ ...post('first'), authorId: ADMIN, lang: 'zh' })
      expect(created).toMatchObject({ lang: 'zh', editedBy: ADMIN })
      const id = created?._id ?? ''
      await storage.blogs.update(id, { title: 'By a key', editedBy: 'key:a', at: T0 })
      expect(await storage.blogs.findById(id)).toMatchObject({ lang: 'zh', editedBy: 'key:a' })
      await storage.blogs.update(id, { lang: 'en', at: T0 })
      expect(await storage.blogs.findById(id)).toMatchObject({ lang: 'en', editedBy: null })
    })

    it('keep the measured reading time of their version', async () => {
      const image = '/uploads/aa11.webp'
      const created = await storage.blogs.create({ ...post('first'), img: image })
      await storage.blogs.measured(created?._id ?? '', 2, 7)
      expect(await storage.blogs.findBySlug('first')).toEqual(created)
      await storage.blogs.measured(created?._id ?? '', 1, 4)
      expect(await storage.blogs.findBySlug('first')).toEqual({ ...created, readingMinutes: 4 })
      expect(await storage.blogs.refersTo(image)).toBe(true)
    })

    it('are found only by the whole slug', async () => {
      await storage.blogs.create(post('first-post'))
      for (const slug of ['', 'first', 'First-Post', 'first-post ', '%', "' OR 1=1 --", 'first-post\0']) {
        expect(await storage.blogs.findBySlug(slug)).toBeNull()
      }
    })

    it('are found by their id under any slug', async () => {
      const id = (await storage.blogs.create(post('first-post')))?._id ?? ''
      await storage.blogs.update(id, { slug: 'other-post', at: T0 + 5 })
      expect(await storage.blogs.findById(id)).toEqual(await storage.blogs.findBySlug('other-post'))
      for (const other of ['', 'other-post', '0'.repeat(24), `${id}0`, '%']) {
        expect(await storage.blogs.findById(other)).toBeNull()
      }
    })

    it('have unique slugs under concurrent creation', async () => {
      const created = await Promise.all([
        storage.blogs.create(post('the-same')),
        storage.blogs.create({ ...post('the-same'), title: 'Another' }),
      ])
      const stored = created.filter((blog) => blog !== null)
      expect(stored).toHaveLength(1)
      expect(await storage.blogs.findBySlug('the-same')).toEqual(stored[0])
      expect((await listPosts(storage, { page: 1, perPage: 15 })).count).toBe(1)
    })

    it('are missing after removal, and their slug is free', async () => {
      const created = await storage.blogs.create(post('passing'))
      expect(await storage.blogs.remove(created?._id ?? '')).toEqual(created)
      expect(await storage.blogs.remove(created?._id ?? '')).toBeNull()
      expect(await storage.blogs.findBySlug('passing')).toBeNull()
      expect(await storage.blogs.create(post('passing'))).not.toBeNull()
    })

    it('change any field under the next version', async () => {
      const created = await storage.blogs.create(post('first-post'))
      const id = created?._id ?? ''
      const titled = { ...created, title: 'Better', updatedAt: T0 + 5, version: 2 }
      expect(await storage.blogs.update(id, { title: 'Better', at: T0 + 5 })).toEqual({
        outcome: 'stored',
        blog: titled,
        before: created,
      })
      const all = {
        ...{ slug: 'other-post', title: 'T', summary: 'S', content: '<p>C</p>' },
        ...{ img: '/i.svg', imgAlt: 'A door' },
      }
      const changed = await storage.blogs.update(id, { ...all, at: T0 + 9 })
      expect(changed).toMatchObject({
        outcome: 'stored',
        blog: { ...all, createdAt: T0, updatedAt: T0 + 9, version: 3 },
      })
      expect(await storage.blogs.findBySlug('other-post')).toMatchObject(all)
      expect(await storage.blogs.findBySlug('first-post')).toBeNull()
    })

    it('tell an image that is not described yet from a decorative one', async () => {
      const created = await storage.blogs.create({ ...post('first-post'), imgAlt: null })
      const listed = async () => (await listPosts(storage, { page: 1, perPage: 1 })).items[0]?.imgAlt
      expect([created?.imgAlt, await listed()]).toEqual([null, null])
      for (const imgAlt of ['', 'A door', null]) {
        await storage.blogs.update(created?._id ?? '', { imgAlt, at: T0 })
        await storage.blogs.update(created?._id ?? '', { title: 'The description stays', at: T0 })
        expect(await storage.blogs.findBySlug('first-post')).toMatchObject({ imgAlt })
        expect(await listed()).toBe(imgAlt)
      }
    })

    it('never decrease updatedAt on a change', async () => {
      const created = await storage.blogs.create(post('first-post', T0 + 100))
      const changed = await storage.blogs.update(created?._id ?? '', { title: 'Earlier', at: T0 })
      expect(changed).toMatchObject({ blog: { updatedAt: T0 + 100, version: 2 } })
    })

    it('accept one of concurrent changes of the same version', async () => {
      const id = (await storage.blogs.create(post('first-post')))?._id ?? ''
      const changed = await Promise.all([
        storage.blogs.update(id, { title: 'One', at: T0 }, 1),
        storage.blogs.update(id, { title: 'Two', at: T0 }, 1),
      ])
      expect(changed.map(({ outcome }) => outcome).sort()).toEqual(['stale', 'stored'])
      const title = changed[0].outcome === 'stored' ? 'One' : 'Two'
      expect(await storage.blogs.findBySlug('first-post')).toMatchObject({ title, version: 2 })
      expect(await storage.blogs.update(id, { title: 'Three', at: T0 }, 2)).toMatchObject({
        outcome: 'stored',
        blog: { version: 3 },
      })
    })

    it('accept all concurrent changes without a version', async () => {
      const id = (await storage.blogs.create(post('first-post')))?._id ?? ''
      const changed = await Promise.all([
        storage.blogs.update(id, { title: 'Title', at: T0 }),
        storage.blogs.update(id, { summary: 'Summary', at: T0 }),
        storage.blogs.update(id, { img: '/i.svg', at: T0 }),
      ])
      expect(changed.map(({ outcome }) => outcome)).toEqual(['stored', 'stored', 'stored'])
      const all = { title: 'Title', summary: 'Summary', img: '/i.svg', version: 4 }
      expect(await storage.blogs.findBySlug('first-post')).toMatchObject(all)
    })

    it('are removed by one of concurrent calls', async () => {
      const created = await storage.blogs.create(post('passing'))
      const removed = await Promise.all([
        storage.blogs.remove(created?._id ?? ''),
        storage.blogs.remove(created?._id ?? ''),
      ])
      expect(removed.filter((blog) => blog !== null)).toEqual([created])
    })

    it('refuse the whole change when its slug is taken', async () => {
      await storage.blogs.create(post('taken'))
      const created = await storage.blogs.create(post('mine'))
      const id = created?._id ?? ''
      const change = { slug: 'taken', title: 'New', at: T0 + 5 }
      expect(await storage.blogs.update(id, change)).toEqual({ outcome: 'slug-taken' })
      expect(await storage.blogs.update(id, change, 1)).toEqual({ outcome: 'slug-taken' })
      expect(await storage.blogs.update(id, change, 7)).toEqual({ outcome: 'stale' })
      expect(await storage.blogs.findBySlug('mine')).toEqual(created)
      expect(await storage.blogs.update(id, { slug: 'mine', at: T0 })).toMatchObject({ outcome: 'stored' })
    })

    it('report a change of a missing post', async () => {
      for (const id of ['f'.repeat(24), '', '%']) {
        expect(await storage.blogs.update(id, { title: 'x', at: T0 })).toEqual({ outcome: 'missing' })
      }
    })

    it('refer to an upload while their image or content shows it', async () => {
      const [image, inText, other] = ['aa11', 'bb22', 'cc33'].map((hash) => `/uploads/${hash}.webp`) as [
        string,
        string,
        string,
      ]
      const refers = () => Promise.all([image, inText, other].map((url) => storage.blogs.refersTo(url)))
      const content = `<p><img src="${inText.replace('.webp', '-480.webp')}"><img src="${image}"></p>`
      const first = await storage.blogs.create({ ...post('first'), img: image, content })
      const second = await storage.blogs.create({ ...post('second'), img: image })
      expect(await refers()).toEqual([true, true, false])
      expect(await storage.blogs.refersTo('/uploads/aa11-960.webp')).toBe(true)
      expect(await storage.blogs.refersTo('/uploads/aa1.webp')).toBe(false)
      expect(await storage.blogs.refersTo('/images/posts/desk.svg')).toBe(false)
      await storage.blogs.update(first?._id ?? '', { img: other, content: '<p>Text</p>', at: T0 })
      expect(await refers()).toEqual([true, false, true])
      await storage.blogs.remove(second?._id ?? '')
      expect(await refers()).toEqual([false, false, true])
    })

    it('store every text unchanged', async () => {
      const odd = {
        title: '汉字 😀 e\u0301 \u202Eabc',
        summary: "'); DROP TABLE blogs; --",
        content: 'a\r\n\tb',
      }
      await storage.blogs.create({ ...post('odd'), ...odd })
      expect(await storage.blogs.findBySlug('odd')).toMatchObject(odd)
    })
  })
}
