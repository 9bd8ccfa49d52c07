import { paths } from '@proctorpass/shared/paths'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import type { ReviewList } from '@proctorpass/shared/schemas/review'
import { HOME_BLOGS, HOME_REVIEWS } from '../content/page-sizes.ts'
import { type LoaderArgs, loaderResult, readApi, readText } from '../lib/page-loader.ts'
import type { TextData } from './text-page.tsx'

export interface HomeData extends TextData<'home'> {
  blogs: BlogList | null
  reviews: ReviewList | null
}

/** This is not in the page's file, so that data and code load at the same time. */
export async function loadHome(args: LoaderArgs) {
  const [text, blogs, reviews] = await Promise.all([
    readText<'home'>('home', args),
    readApi<BlogList>(`${paths.blogs}?page=1&perPage=${HOME_BLOGS}`, args),
    readApi<ReviewList>(`${paths.reviews}?page=1&perPage=${HOME_REVIEWS}`, args),
  ])
  return loaderResult({ text, blogs, reviews } satisfies HomeData)
}
