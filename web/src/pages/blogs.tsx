import { paths } from '@proctorpass/shared/paths'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { useLoaderData } from 'react-router-dom'
import { CouldNotLoad } from '../components/could-not-load.tsx'
import { Guides } from '../components/guides.tsx'
import { Pager } from '../components/pager.tsx'
import { PostCard } from '../components/post-card.tsx'
import { PAGE_SIZE } from '../content/page-sizes.ts'
import { blogsCopy } from '../content/pages.ts'
import type { PageHead } from '../documents/page-head.ts'
import { type LoadArgs, load, loaded, pageNumber, withinList } from '../lib/load.ts'
import { useLastGood } from './use-last-good.ts'

interface BlogsData {
  page: number
  list: BlogList | null
}

export async function loadBlogs(args: LoadArgs) {
  const page = pageNumber(args.request.url)
  const list = await load<BlogList>(`${paths.blogs}?page=${page}&perPage=${PAGE_SIZE}`, args)
  withinList(page, list?.blogs)
  return loaded({ page, list } satisfies BlogsData)
}

export function blogsHead({ page }: BlogsData): PageHead {
  return { title: blogsCopy.title, description: blogsCopy.description, page, image: 'blogs', trail: [] }
}

export function BlogsPage() {
  const data = useLoaderData<BlogsData>()
  const list = useLastGood(data.list, String(data.page))
  const pager = list && { path: '/blogs', page: data.page, count: list.count, perPage: PAGE_SIZE }
  return (
    <>
      <section className="sheet">
        <h1>{blogsCopy.heading}</h1>
        <p className="note">{blogsCopy.lead}</p>
        {pager && <Pager {...pager} label="Pages of posts" />}
        <Posts list={list} />
        {pager && <Pager {...pager} label="Pages of posts, below the list" />}
      </section>
      {data.page === 1 && <Guides />}
    </>
  )
}

function Posts({ list }: { list: BlogList | null }) {
  if (!list) return <CouldNotLoad what="blog" />
  if (list.message) return <p className="list-message">{list.message}</p>
  return (
    <ul className="wide post-grid">
      {list.blogs.map((post, index) => (
        <li key={post.slug}>
          <PostCard post={post} heading="h2" sizes="(min-width: 30em) 20em, 6em" eager={index < 3} />
        </li>
      ))}
    </ul>
  )
}
