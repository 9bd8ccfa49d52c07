import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { blogForm } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import type { AdminCaller } from '../auth/caller.ts'
import type { ContentRevisionRepository, Stores } from '../storage/model/storage.ts'
import { openStores } from '../storage/open-storage.ts'
import { type ContentRevision, createContentRevision } from './content-revision.ts'

let test: TestApp
const build = makeWebBuild()
beforeAll(async () => {
  test = await buildTestApp({ variables: { SERVE_WEB: 'true' }, distDir: build.distDir })
})
afterAll(async () => {
  await test.close()
  build.remove()
})

const admin: AdminCaller = {
  side: 'admin',
  address: '127.0.0.1',
  userId: 'a'.repeat(24),
  userName: 'admin',
  sid: 's',
}
const read = async (url: string, etag?: unknown) => {
  const headers = etag === undefined ? {} : { 'if-none-match': String(etag) }
  return test.call('GET', url, { headers })
}
const slugs = async (url: string) =>
  (await read(url)).json().data.blogs.map(({ slug }: { slug: string }) => slug)

describe('a change of content', () => {
  it('is in the next response of every cached page', async () => {
    const [one, two] = await Promise.all([read('/blogs'), read('/blogs')])
    expect(one.headers.etag).toBe(two.headers.etag)
    expect((await read('/blogs', one.headers.etag)).statusCode).toBe(304)

    await test.app.useCases.blogs.create(admin, blogForm('fresh'))
    const [again, other] = await Promise.all([read('/blogs', one.headers.etag), read('/blogs')])
    expect([again.statusCode, other.statusCode]).toEqual([200, 200])
    expect(again.json().data.blogs[0].slug).toBe('fresh')
    expect(other.body).toBe(again.body)
  })

  it('removes a deleted post from all pages and lists at once', async () => {
    const { _id } = await test.app.useCases.blogs.create(admin, blogForm('passing'))
    const cached = await read('/blog/passing')
    expect(cached.statusCode).toBe(200)
    expect(await slugs('/blogs?page=1')).toContain('passing')

    await test.app.useCases.blogs.remove(admin, _id)
    for (const url of ['/blog/passing', '/api/blogs/one/passing']) {
      expect((await read(url, cached.headers.etag)).statusCode).toBe(404)
    }
    for (const url of ['/blogs', '/blogs?page=1']) expect(await slugs(url)).not.toContain('passing')
    await expect(test.app.useCases.blogs.remove(admin, _id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('replaces an earlier 404 of a page', async () => {
    expect((await read('/blog/awaited')).statusCode).toBe(404)
    await test.app.useCases.blogs.create(admin, blogForm('awaited'))
    expect((await read('/blog/awaited')).json().data.title).toBe('A title')
  })

  it('is in the next response of every cached list of the API', async () => {
    const list = '/api/blogs?page=1&perPage=15'
    const before = await read(list)
    expect((await read(list, before.headers.etag)).statusCode).toBe(304)
    const { _id } = await test.app.useCases.blogs.create(admin, blogForm('listed'))
    const after = await read(list, before.headers.etag)
    expect(after.json().blogs[0].slug).toBe('listed')
    expect(after.json().count).toBe(before.json().count + 1)
    await test.app.useCases.blogs.remove(admin, _id)
    expect((await read(list)).body).toBe(before.body)
  })

  it('is not lost when a page renders meanwhile', async () => {
    const reading = Array.from({ length: 20 }, () => read('/blogs?page=1'))
    const creating = test.app.useCases.blogs.create(admin, blogForm('meanwhile'))
    await Promise.all([...reading, creating])
    expect(await slugs('/blogs?page=1')).toContain('meanwhile')
  })

  it('of a review invalidates pages too', async () => {
    expect((await read('/reviews')).json().data.count).toBe(0)
    await test.app.useCases.reviews.create(admin, {
      name: 'Sam',
      time: 'March 2026',
      star: 4.5,
      review: 'Calm.',
    })
    expect((await read('/reviews')).json().data).toMatchObject({ count: 1, reviews: [{ star: 4.5 }] })
  })
})

/** An in-memory repository that can be made to fail. */
function fakeRepository(): ContentRevisionRepository & { works: boolean; advances: number } {
  const check = () => {
    if (!repository.works) throw new Error('out of reach')
  }
  const repository = {
    works: true,
    advances: 0,
    async read() {
      check()
      return String(repository.advances)
    },
    async advance() {
      check()
      repository.advances += 1
    },
  }
  return repository
}

describe('processes on one store', () => {
  const repository = fakeRepository()
  let notified: string[]
  /** When a scheduled post is published. */
  let publishAt = Number.POSITIVE_INFINITY
  const cameDue = async (from: number, to: number) => {
    if (!repository.works) throw new Error('out of reach')
    return from < publishAt && publishAt <= to
  }
  const revisions: { [name: string]: ContentRevision } = {}
  function start(name: string): void {
    revisions[name] = createContentRevision(repository, { cameDue, now: Date.now })
    revisions[name].subscribe(() => notified.push(name))
  }
  /** Long enough for each to poll twice. */
  const pass = () => vi.advanceTimersByTimeAsync(1_000)

  beforeEach(async () => {
    vi.useFakeTimers()
    repository.works = true
    publishAt = Number.POSITIVE_INFINITY
    notified = []
    for (const name of ['here', 'there']) start(name)
    await pass()
    notified = []
  })
  afterEach(() => {
    for (const name in revisions) revisions[name]?.close()
    vi.useRealTimers()
  })

  it('notify their listeners of a change: at once on the same process, within a second on another', async () => {
    const changed = revisions.here?.changed()
    expect(notified).toEqual(['here'])
    await changed
    await pass()
    expect(notified).toContain('there')
    notified = []
    await pass()
    expect(notified).toEqual([])
  })

  it('do not notify while the store is away, and poll again when it is back', async () => {
    repository.works = false
    await pass()
    expect(notified).toEqual([])
    repository.works = true
    await revisions.there?.changed()
    await pass()
    expect(notified).toContain('here')
  })

  it('notify their listeners once when a scheduled post is due, also after an outage', async () => {
    publishAt = Date.now() + 5_000
    await vi.advanceTimersByTimeAsync(4_400)
    expect(notified).toEqual([])
    await pass()
    expect(notified.sort()).toEqual(['here', 'there'])

    notified = []
    publishAt = Date.now() + 5_000
    repository.works = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(notified).toEqual([])
    repository.works = true
    await pass()
    await pass()
    expect(notified.sort()).toEqual(['here', 'there'])
  })

  it('notify their listeners once when a change publishes a post at once', async () => {
    const alone = createContentRevision(null, { cameDue, now: Date.now })
    alone.subscribe(() => notified.push('alone'))
    await vi.advanceTimersByTimeAsync(100)
    publishAt = Date.now()
    await alone.changed()
    await pass()
    expect(notified.filter((name) => name === 'alone')).toEqual(['alone'])
    alone.close()
  })

  it('retry an advance that the store refused', async () => {
    repository.works = false
    await revisions.here?.changed()
    repository.works = true
    await pass()
    expect(notified).toContain('there')
  })

  it('are notified by the next start when a process died between a change and its advance', async () => {
    start('new')
    await pass()
    expect(notified).toContain('here')
  })
})

describeOnMongo('two processes on MongoDB', (freshUrl) => {
  it('serve a change of one on both, in pages and in lists', async () => {
    const stores: Stores[] = []
    const apps: TestApp[] = []
    const url = freshUrl()
    const dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-changes-'))
    for (let each = 0; each < 2; each += 1) {
      const opened = await openStores({ dataDir, mongodbUrl: url })
      stores.push(opened)
      const variables = { SERVE_WEB: 'true' }
      apps.push(await buildTestApp({ dataDir, stores: opened, variables, distDir: build.distDir }))
    }
    const [here, there] = apps as [TestApp, TestApp]
    for (const each of apps) expect((await each.call('GET', '/blogs')).body).not.toContain('on-both')
    await there.call('GET', '/api/blogs?page=1&perPage=15')
    const { _id } = await here.app.useCases.blogs.create(admin, blogForm('on-both'))
    await vi.waitFor(async () => {
      expect((await there.call('GET', '/blogs')).body).toContain('on-both')
      expect((await there.call('GET', '/api/blogs?page=1&perPage=15')).body).toContain('on-both')
    })
    await there.app.useCases.blogs.remove(admin, _id)
    await vi.waitFor(async () => expect((await here.call('GET', '/blogs')).body).not.toContain('on-both'))

    const leadThere = async () => (await there.call('GET', '/api/texts/terms')).json().fields.lead
    expect(await leadThere()).not.toBe('On both')
    const { fields, version } = await here.app.useCases.texts.read('terms')
    await here.app.useCases.texts.write(admin, 'terms', { fields: { ...fields, lead: 'On both' }, version })
    await vi.waitFor(async () => expect(await leadThere()).toBe('On both'))
    for (const each of apps) await each.close()
    for (const each of stores) await each.storage.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
})
