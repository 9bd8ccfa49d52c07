import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { blogForm } from '../../test/blog-form.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { openStores, type Stores } from '../storage/open-storage.ts'
import type { EditionRepository } from '../storage/storage.ts'
import { createContentChanges } from './content-revision.ts'

let test: TestApp
const build = makeWebBuild()
beforeAll(async () => {
  test = await buildTestApp({ variables: { SERVE_WEB: 'true' }, distDir: build.distDir })
})
afterAll(async () => {
  await test.close()
  build.remove()
})

const admin: AdminCaller = { side: 'admin', userId: 'a'.repeat(24), userName: 'admin', sid: 's' }
const read = async (url: string, etag?: unknown) => {
  const headers = etag === undefined ? {} : { 'if-none-match': String(etag) }
  return test.call('GET', url, { headers })
}
const slugs = async (url: string) =>
  (await read(url)).json().data.blogs.map(({ slug }: { slug: string }) => slug)

describe('a change of content', () => {
  it('is seen by every reader of a kept page with the next request', async () => {
    const [one, two] = await Promise.all([read('/blogs'), read('/blogs')])
    expect(one.headers.etag).toBe(two.headers.etag)
    expect((await read('/blogs', one.headers.etag)).statusCode).toBe(304)

    await test.app.blogs.create(admin, blogForm('fresh'))
    const [again, other] = await Promise.all([read('/blogs', one.headers.etag), read('/blogs')])
    expect([again.statusCode, other.statusCode]).toEqual([200, 200])
    expect(again.json().data.blogs[0].slug).toBe('fresh')
    expect(other.body).toBe(again.body)
  })

  it('takes a removed post away everywhere at once', async () => {
    const { _id } = await test.app.blogs.create(admin, blogForm('passing'))
    const kept = await read('/blog/passing')
    expect(kept.statusCode).toBe(200)
    expect(await slugs('/blogs?page=1')).toContain('passing')

    await test.app.blogs.remove(admin, _id)
    for (const url of ['/blog/passing', '/api/blogs/one/passing']) {
      expect((await read(url, kept.headers.etag)).statusCode).toBe(404)
    }
    for (const url of ['/blogs', '/blogs?page=1']) expect(await slugs(url)).not.toContain('passing')
    await expect(test.app.blogs.remove(admin, _id)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('gives a page to who asked for it before it was there', async () => {
    expect((await read('/blog/awaited')).statusCode).toBe(404)
    await test.app.blogs.create(admin, blogForm('awaited'))
    expect((await read('/blog/awaited')).json().data.title).toBe('A title')
  })

  it('is seen by every reader of a kept list of the API with the next request', async () => {
    const list = '/api/blogs?page=1&perPage=15'
    const before = await read(list)
    expect((await read(list, before.headers.etag)).statusCode).toBe(304)
    const { _id } = await test.app.blogs.create(admin, blogForm('listed'))
    const after = await read(list, before.headers.etag)
    expect(after.json().blogs[0].slug).toBe('listed')
    expect(after.json().count).toBe(before.json().count + 1)
    await test.app.blogs.remove(admin, _id)
    expect((await read(list)).body).toBe(before.body)
  })

  it('is not lost on a page that is being rendered meanwhile', async () => {
    const reading = Array.from({ length: 20 }, () => read('/blogs?page=1'))
    const creating = test.app.blogs.create(admin, blogForm('meanwhile'))
    await Promise.all([...reading, creating])
    expect(await slugs('/blogs?page=1')).toContain('meanwhile')
  })

  it('of a review counts as well', async () => {
    expect((await read('/reviews')).json().data.count).toBe(0)
    await test.app.reviews.create(admin, { name: 'Sam', time: 'March 2026', star: 4.5, review: 'Calm.' })
    expect((await read('/reviews')).json().data).toMatchObject({ count: 1, reviews: [{ star: 4.5 }] })
  })
})

/** What a store for many shows, in memory, with a lever. */
function brittleEdition(): EditionRepository & { works: boolean; advances: number } {
  const check = () => {
    if (!edition.works) throw new Error('out of reach')
  }
  const edition = {
    works: true,
    advances: 0,
    async read() {
      check()
      return String(edition.advances)
    },
    async advance() {
      check()
      edition.advances += 1
    },
  }
  return edition
}

describe('processes on one store', () => {
  const edition = brittleEdition()
  let dropped: string[]
  const changes: { [name: string]: ReturnType<typeof createContentChanges> } = {}
  function start(name: string): void {
    changes[name] = createContentChanges({ edition })
    changes[name].listen(() => dropped.push(name))
  }
  /** Long enough for each to look twice. */
  const pass = () => vi.advanceTimersByTimeAsync(1_000)

  beforeEach(async () => {
    vi.useFakeTimers()
    edition.works = true
    dropped = []
    for (const name of ['here', 'there']) start(name)
    await pass()
    dropped = []
  })
  afterEach(() => {
    for (const name in changes) changes[name]?.close()
    vi.useRealTimers()
  })

  it('drop what they keep within a second of a change on one, and here at once', async () => {
    const told = changes.here?.tell()
    expect(dropped).toEqual(['here'])
    await told
    await pass()
    expect(dropped).toContain('there')
    dropped = []
    await pass()
    expect(dropped).toEqual([])
  })

  it('keep it while the store is away, and look again when it is back', async () => {
    edition.works = false
    await pass()
    expect(dropped).toEqual([])
    edition.works = true
    await changes.there?.tell()
    await pass()
    expect(dropped).toContain('here')
  })

  it('tell later what the store did not take in the moment of the change', async () => {
    edition.works = false
    await changes.here?.tell()
    edition.works = true
    await pass()
    expect(dropped).toContain('there')
  })

  it('are told by the next start when one died between a change and its telling', async () => {
    start('new')
    await pass()
    expect(dropped).toContain('here')
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
    for (const each of apps) expect((await each.call('GET', '/blogs')).body).not.toContain('elsewhere')
    await there.call('GET', '/api/blogs?page=1&perPage=15')
    const { _id } = await here.app.blogs.create(admin, blogForm('elsewhere'))
    await vi.waitFor(async () => {
      expect((await there.call('GET', '/blogs')).body).toContain('elsewhere')
      expect((await there.call('GET', '/api/blogs?page=1&perPage=15')).body).toContain('elsewhere')
    })
    await there.app.blogs.remove(admin, _id)
    await vi.waitFor(async () => expect((await here.call('GET', '/blogs')).body).not.toContain('elsewhere'))
    for (const each of apps) await each.close()
    for (const each of stores) await each.storage.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
})
