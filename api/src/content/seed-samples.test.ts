import { existsSync } from 'node:fs'
import {
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  REVIEW_NAME_MAX,
  REVIEW_TEXT_MAX,
  SLUG_MAX,
  SLUG_PATTERN,
} from '@proctorpass/shared/limits'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listPosts } from '../../test/storage-contract/store-under-test.ts'
import type { BlogRecord } from '../storage/model/blogs.ts'
import type { ReviewRecord } from '../storage/model/reviews.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { seedSamples } from './seed-samples.ts'

const NOW = Date.UTC(2026, 10, 21)

let storage: Storage
beforeEach(() => {
  storage = openSqlite(':memory:')
})
afterEach(() => storage.close())

const seed = (options: Partial<Parameters<typeof seedSamples>[0]> = {}) =>
  seedSamples({ storage, requested: undefined, host: '127.0.0.1', now: NOW, ...options })
const all = { page: 1, perPage: 100 }

describe('samples', () => {
  it('fill more than one page of each list, dated in the months before', async () => {
    expect(await seed()).toBe(true)
    const blogs = await listPosts(storage, all)
    const reviews = await storage.reviews.list(all)
    expect(blogs.count).toBeGreaterThanOrEqual(18)
    expect(reviews.count).toBeGreaterThanOrEqual(30)
    for (const { createdAt } of [...blogs.items, ...reviews.items]) {
      expect(createdAt).toBeLessThan(NOW)
      expect(createdAt).toBeGreaterThan(NOW - 500 * 24 * 60 * 60 * 1_000)
    }
    expect(reviews.items[0]?.time).toBe('November 2026 (sample)')
    expect(reviews.items.some(({ star }) => star % 1 !== 0)).toBe(true)
    for (const { img } of blogs.items) {
      expect(existsSync(new URL(`../../../web/public${img}`, import.meta.url)), img).toBe(true)
    }
  })

  it('pass the rules of the forms', async () => {
    await seed()
    for (const summary of (await listPosts(storage, all)).items) {
      const blog = (await storage.blogs.findBySlug(summary.slug)) as BlogRecord
      expect(blog.slug).toMatch(new RegExp(SLUG_PATTERN))
      expect(blog.slug.length).toBeLessThanOrEqual(SLUG_MAX)
      expect(blog.title.length).toBeLessThanOrEqual(BLOG_TITLE_MAX)
      expect(blog.summary.length).toBeLessThanOrEqual(BLOG_SUMMARY_MAX)
      expect(blog.imgAlt).toMatch(/^An? [A-Za-z ,-]{12,90}$|^(?:Headphones|Two) [a-z ,]+$/)
      expect(blog.img).toMatch(/^\/images\/posts\/[a-z-]+\.svg$/)
      expect(blog.content).not.toMatch(/<(script|style|iframe|h1)|\son\w+=|style=|javascript:/i)
    }
    for (const { name, star, review } of (await storage.reviews.list(all)).items as ReviewRecord[]) {
      expect(star).toBeGreaterThanOrEqual(1)
      expect(star).toBeLessThanOrEqual(5)
      expect(name.length).toBeLessThanOrEqual(REVIEW_NAME_MAX)
      expect(review.length).toBeLessThanOrEqual(REVIEW_TEXT_MAX)
    }
  })

  it('are seeded once, and not again after their removal', async () => {
    await seed()
    const { count } = await listPosts(storage, all)
    expect(await seed()).toBe(false)
    expect(await seed({ requested: true })).toBe(false)
    expect((await listPosts(storage, all)).count).toBe(count)
    await storage.samples.remove()
    expect(await seed()).toBe(false)
    expect((await listPosts(storage, all)).count).toBe(0)
  })

  it.each([
    ['127.0.0.1', true],
    ['127.8.0.1', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.7', false],
    ['localhost.example.com', false],
    ['127.example.com', false],
  ])('are seeded by default on the host %s: %s', async (host, expected) => {
    expect(await seed({ host })).toBe(expected)
  })

  it('are seeded when SEED_DEMO is true, and never when it is false', async () => {
    expect(await seed({ requested: false })).toBe(false)
    await storage.users.createFirst({
      userName: 'admin',
      passwordHash: 'h',
      roles: ['Admin'],
      createdAt: NOW,
    })
    expect(await seed()).toBe(false)
    expect(await seed({ requested: true, host: '0.0.0.0' })).toBe(true)
  })
})
