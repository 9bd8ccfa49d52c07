import type { ShownTexts } from '@proctorpass/shared/page-text'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { Link, useLoaderData } from 'react-router'
import { LoadError } from '../components/load-error.tsx'
import { Pager } from '../components/pager.tsx'
import { PostCard } from '../components/post-card.tsx'
import { PAGE_SIZE } from '../content/page-sizes.ts'
import type { BlogsData } from './blogs-data.ts'
import { TextPage } from './text-page.tsx'
import { useLastLoaded } from './use-last-loaded.ts'

export function BlogsPage() {
  const data = useLoaderData<BlogsData>()
  const list = useLastLoaded(data.list, String(data.page))
  const pager = list && { path: '/blogs', page: data.page, count: list.count, perPage: PAGE_SIZE }
  return (
    <TextPage<'blogs'>>
      {({ text }) => (
        <>
          <section className="sheet">
            <h1 data-text="heading">{text.heading}</h1>
            <p className="note" data-text="lead">
              {text.lead}
            </p>
            {pager && <Pager {...pager} label="Blog pages" />}
            <Posts list={list} />
            {pager && <Pager {...pager} label="Blog pages, below the list" />}
          </section>
          {data.page === 1 && <Guides text={text} />}
        </>
      )}
    </TextPage>
  )
}

function Posts({ list }: { list: BlogList | null }) {
  if (!list) return <LoadError what="blog" />
  if (list.message) {
    return (
      <div className="list-message">
        <p>{list.message}</p>
        <p>
          In the meantime, read <a href="#guides">our guides</a>.
        </p>
      </div>
    )
  }
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

/** Links to the articles that ship with the site, because no list of posts contains them. */
function Guides({ text: { guidesHeading, guides } }: { text: ShownTexts['blogs'] }) {
  return (
    <section className="sheet" aria-labelledby="guides">
      <h2 id="guides" data-text="guidesHeading">
        {guidesHeading}
      </h2>
      <ul className="guides">
        {guides.map(({ slug, heading }, index) => (
          <li key={slug}>
            <Link to={`/blog/${slug}`} data-text={`guides.${index}.heading`}>
              {heading}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
