import { paths } from '@proctorpass/shared/paths'
import type { ReviewList } from '@proctorpass/shared/schemas/review'
import { PAGE_SIZE } from '../content/page-sizes.ts'
import {
  assertPageExists,
  type LoaderArgs,
  loaderResult,
  pageNumber,
  readApi,
  readText,
} from '../lib/page-loader.ts'
import type { PageHead } from '../metadata/page-head.ts'
import { type TextData, textHead } from './text-page.tsx'

export interface ReviewsData extends TextData<'reviews'> {
  page: number
  list: ReviewList | null
}

export async function loadReviews(args: LoaderArgs) {
  const page = pageNumber(args.request.url)
  const [text, list] = await Promise.all([
    readText<'reviews'>('reviews', args),
    readApi<ReviewList>(`${paths.reviews}?page=${page}&perPage=${PAGE_SIZE}`, args),
  ])
  assertPageExists(page, list?.reviews)
  return loaderResult({ page, text, list } satisfies ReviewsData)
}

export function reviewsHead(data: ReviewsData): PageHead {
  return textHead(data, { page: data.page, image: 'reviews', trail: [] })
}
