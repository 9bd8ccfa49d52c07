import { BlockList, isIP } from 'node:net'
import type { NewBlog } from '../storage/model/blogs.ts'
import type { NewReview } from '../storage/model/reviews.ts'
import type { Storage } from '../storage/model/storage.ts'
import { monthLabel } from './month-label.ts'

const HOUR = 60 * 60 * 1_000
/** The times between two samples are not whole days, so that the samples differ in their time of day. */
const POST_EVERY_MS = 9 * 24 * HOUR + 5 * HOUR
const REVIEW_EVERY_MS = 13 * 24 * HOUR + 7 * HOUR

/** Labels every sample wherever it is shown, because an invented reviewer must not pass for a person. */
const SAMPLE_TIME = ' (sample)'
const SAMPLE_POST = '<p><em>This is a sample post.</em></p>'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

interface SeedOptions {
  storage: Storage
  /** The value of SEED_DEMO. If it is undefined, only an empty store on a loopback host gets samples. */
  requested: boolean | undefined
  host: string
  /** Milliseconds since 1970 UTC. The newest samples are a little older. */
  now: number
}

/** Adds sample posts and reviews to a new store. Returns true if it did. */
export async function seedSamples({ storage, requested, host, now }: SeedOptions): Promise<boolean> {
  if (!(requested ?? isLoopback(host))) return false
  const [{ default: posts }, { default: samples }] = await Promise.all([
    import('./samples/posts.json', { with: { type: 'json' } }),
    import('./samples/reviews.json', { with: { type: 'json' } }),
  ])
  const blogs = posts.map(
    ({ slug, title, summary, drawing, imgAlt, content }, index): NewBlog => ({
      slug,
      title,
      summary,
      img: `/images/posts/${drawing}.svg`,
      imgAlt,
      content: content.map((line) => `\n${line}`).join('') + SAMPLE_POST,
      createdAt: now - 2 * HOUR - index * POST_EVERY_MS,
    }),
  )
  const reviews = samples.map(({ name, star, review }, index): NewReview => {
    const createdAt = now - HOUR - index * REVIEW_EVERY_MS
    return { name, time: monthLabel(createdAt) + SAMPLE_TIME, star, review, createdAt }
  })
  return storage.samples.seed({ blogs, reviews }, { onlyWhenEmpty: requested === undefined })
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const version = isIP(host)
  return version !== 0 && loopback.check(host, version === 6 ? 'ipv6' : 'ipv4')
}
