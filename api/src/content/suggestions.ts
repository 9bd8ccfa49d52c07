import { PER_PAGE_MAX } from '@proctorpass/shared/limits'
import type { Suggestions } from '@proctorpass/shared/schemas/suggestion'
import { termsOf } from '@proctorpass/shared/tokenizer'
import type { Blogs } from './blogs.ts'

/**
 * Together with the 10 KB that the build allows for the FAQ and articles, this makes at most 30 KB on the wire, even if
 * nothing compresses.
 */
const BYTES_MAX = 20_000

/** Returns the newest posts, in which a browser finds what may answer a question. */
export async function postsToSuggest(blogs: Pick<Blogs, 'list'>): Promise<Suggestions> {
  const list = await blogs.list({ page: 1, perPage: PER_PAGE_MAX })
  const pages: Suggestions['pages'] = []
  let bytes = 0
  for (const { slug, title, summary } of list.blogs) {
    const known = new Set(termsOf(title))
    const terms = termsOf(summary).filter((term) => !known.has(term))
    const page = { path: `/blog/${slug}`, title, terms: terms.join(' ') }
    bytes += Buffer.byteLength(JSON.stringify(page)) + 1
    if (bytes > BYTES_MAX) break
    pages.push(page)
  }
  return { pages }
}
