import { paths } from '@proctorpass/shared/paths'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { Link } from 'react-router'
import { PAGE_SIZE } from '../../content/page-sizes.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList, usePagedList } from '../ui/paged-list.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import { POSTS } from './posts.ts'
import '../ui/content.css'

const SUMMARY_SHOWN = 100

export function MyPostsPage() {
  const posts = usePagedList<BlogList>(POSTS, paths.blogs, PAGE_SIZE)
  const { ask, dialog } = useDelete({
    title: 'Delete Post!',
    question: 'Are you sure you want to delete this post?',
    list: POSTS,
  })
  return (
    <section className="dashboard-page">
      <PageHeading>Blogs</PageHeading>
      <PagedList
        label="Blog pages"
        list={posts}
        whenEmpty={<Link to="/dashboard/add-blog">Write the first post</Link>}
      >
        {({ blogs }) => (
          <ul className="my-posts">
            {blogs.map(({ _id, title, slug, summary, img, imgAlt, sample }) => (
              <li key={_id}>
                <article className="my-post">
                  <img src={img} alt={imgAlt ?? ''} width={1200} height={630} loading="lazy" />
                  <h2>{title}</h2>
                  {sample && <p className="sample-mark">Sample</p>}
                  <p>{firstCharacters(summary)}</p>
                  <p className="row-actions">
                    <Link to={`/blog/${slug}`}>
                      View <span className="visually-hidden">{title}</span>
                    </Link>
                    <Link to={`/dashboard/edit/${slug}`}>
                      Edit <span className="visually-hidden">{title}</span>
                    </Link>
                    <button
                      type="button"
                      className="link-button link-button-red"
                      onClick={() => ask(paths.blogById(_id))}
                    >
                      Delete <span className="visually-hidden">{title}</span>
                    </button>
                  </p>
                </article>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {dialog}
    </section>
  )
}

/** Counts code points, so that no character is cut in half. */
function firstCharacters(summary: string): string {
  return `${Array.from(summary).slice(0, SUMMARY_SHOWN).join('')}...`
}
