import { paths } from '@proctorpass/shared/paths'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
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

export interface BlogsData extends TextData<'blogs'> {
  page: number
  list: BlogList | null
}

export async function loadBlogs(args: LoaderArgs) {
  const page = pageNumber(args.request.url)
  const [text, list] = await Promise.all([
    readText<'blogs'>('blogs', args),
    readApi<BlogList>(`${paths.blogs}?page=${page}&perPage=${PAGE_SIZE}`, args),
  ])
  assertPageExists(page, list?.blogs)
  return loaderResult({ page, text, list } satisfies BlogsData)
}

export function blogsHead(data: BlogsData): PageHead {
  return textHead(data, { page: data.page, image: 'blogs', trail: [] })
}
