import { ExternalLink, Pencil, Plus, Trash2 } from 'virtual:icons'
import { paths } from '@proctorpass/shared/paths'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { Link } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { PAGE_SIZE } from '../../content/page-sizes.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList, usePagedList } from '../ui/paged-list.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import { POSTS } from './posts.ts'
import './posts.css'

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
      <PageHeading
        actions={
          <Link to="/dashboard/add-blog" className="button button-primary">
            <Icon of={Plus} />
            Add blog
          </Link>
        }
      >
        Blogs
      </PageHeading>
      <PagedList
        label="Blog pages"
        list={posts}
        whenEmpty={
          <Link to="/dashboard/add-blog" className="button">
            Write the first post
          </Link>
        }
      >
        {({ blogs }) => (
          <ul className="my-posts">
            {blogs.map(({ _id, title, slug, summary, img, imgAlt, sample }) => (
              <li key={_id}>
                <article className="my-post">
                  <img src={img} alt={imgAlt ?? ''} width={1200} height={630} loading="lazy" />
                  <div className="my-post-words">
                    <h2 dir="auto">{title}</h2>
                    {sample && <p className="chip">Sample</p>}
                    <p dir="auto">{firstCharacters(summary)}</p>
                  </div>
                  <footer>
                    <Link to={`/dashboard/edit/${slug}`} className="button button-quiet button-s">
                      <Icon of={Pencil} />
                      <span>
                        Edit <span className="visually-hidden">{title}</span>
                      </span>
                    </Link>
                    <Link to={`/blog/${slug}`} className="button button-quiet button-s">
                      <Icon of={ExternalLink} />
                      <span>
                        View <span className="visually-hidden">{title}</span>
                      </span>
                    </Link>
                    <IconButton
                      icon={Trash2}
                      label={`Delete ${title}`}
                      tip="Delete"
                      onClick={() => ask(paths.blogById(_id))}
                    />
                  </footer>
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
