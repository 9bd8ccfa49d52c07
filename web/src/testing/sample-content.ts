import texts from 'virtual:sample-texts'
import type { Blog, BlogSummary } from '@proctorpass/shared/schemas/blog'
import type { Review } from '@proctorpass/shared/schemas/review'

/** Slugs have no digits. */
function letters(n: number): string {
  return String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))
}

/** The nth newest post. */
export function aPost(n: number): Blog {
  const day = new Date(Date.UTC(2026, 4, 31) - n * 86_400_000).toISOString()
  return {
    _id: n.toString(16).padStart(24, '0'),
    title: `Post ${n}`,
    slug: `post-${letters(n)}`,
    summary: `Summary ${n}. ${'word '.repeat(40)}`,
    img: `/images/posts/${letters(n)}.webp`,
    // Every third one is not described yet.
    imgAlt: n % 3 === 0 ? null : `Drawing of post ${n}`,
    ...{ lang: 'en', state: 'published' as const, author: null, readingMinutes: 4 },
    ...{ publishAt: day, publishedAt: day },
    createdAt: day,
    updatedAt: day,
    sample: false,
    content: `<h2>Part of ${n}</h2><p>Content of post ${n}.</p>`,
    version: 1,
  }
}

function aReview(n: number): Review {
  return {
    _id: n.toString(16).padStart(24, '0'),
    name: `Reader ${n}`,
    time: 'May 2026',
    star: 4.5,
    review: `Review ${n}`,
  }
}

/** The GET endpoints of the REST API over generated posts and reviews; `asked` lists the requests but
 * those of texts. */
export function sampleApi({ posts = 0, reviews = 0 }: { posts?: number; reviews?: number } = {}) {
  const asked: string[] = []
  const allPosts = Array.from({ length: posts }, (_, index) => aPost(index + 1))
  const allReviews = Array.from({ length: reviews }, (_, index) => aReview(index + 1))

  function answer(path: string): { status: number; body: unknown } {
    const text = /^\/texts\/(.+)\/page/.exec(path)?.[1]
    if (text !== undefined) return { status: 200, body: texts.pages[decodeURIComponent(text)] }
    asked.push(path)
    const { pathname, searchParams } = new URL(path, 'http://api.invalid')
    const page = Number(searchParams.get('page'))
    const perPage = Number(searchParams.get('perPage'))
    const onPage = <T>(all: T[]) => all.slice((page - 1) * perPage, page * perPage)
    if (pathname === '/blogs') {
      const blogs: BlogSummary[] = onPage(allPosts).map(({ content: _, ...summary }) => summary)
      return {
        status: 200,
        body: { blogs, count: posts, ...(posts === 0 && { message: 'No blogs found!' }) },
      }
    }
    if (pathname === '/reviews') {
      const none = reviews === 0 && { message: 'No reviews found!' }
      return { status: 200, body: { reviews: onPage(allReviews), count: reviews, ...none } }
    }
    const post = allPosts.find(({ slug }) => pathname === `/blogs/one/${slug}`)
    if (post) return { status: 200, body: post }
    return { status: 404, body: { message: 'There is no such thing.', code: 'not-found' } }
  }

  return {
    asked,
    answer,
    /** For the input of `render`. */
    async fetchApi(path: string) {
      const { status, body } = answer(path)
      return { status, json: async () => body }
    },
  }
}
