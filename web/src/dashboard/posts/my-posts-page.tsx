import { ExternalLink, Pencil, Plus, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import { POST_STATES, type PostState } from '@proctorpass/shared/post-states'
import type { BlogList, BlogSummary } from '@proctorpass/shared/schemas/blog'
import { Link, useLocation, useNavigate } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { PAGE_SIZE } from '../../content/page-sizes.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList, usePagedList } from '../ui/paged-list.tsx'
import { shownDay, shownTime } from '../ui/shown-time.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { StateChip, useStateNow } from './post-state.tsx'
import { ANY_STATE, POSTS } from './posts.ts'
import './posts.css'

const SUMMARY_SHOWN = 100

export function MyPostsPage() {
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const asked = new URLSearchParams(search).get('state')
  const shown = POST_STATES.find((state) => state === asked) ?? null
  const address = shown === null ? '' : `state=${shown}`
  const posts = usePagedList<BlogList>(POSTS, paths.blogs, PAGE_SIZE, { api: address || ANY_STATE, address })
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
      <fieldset className="segments post-filter" aria-label="Show">
        {FILTERS.map(({ state, label }) => (
          <button
            key={label}
            type="button"
            aria-pressed={state === shown}
            onClick={() => navigate(state === null ? pathname : `${pathname}?state=${state}`)}
          >
            {label}
          </button>
        ))}
      </fieldset>
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
            {blogs.map((post) => (
              <li key={post._id}>
                <MyPost post={post} onDelete={() => ask(adminPaths.blogById(post._id))} />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {dialog}
    </section>
  )
}

const FILTERS: readonly { state: PostState | null; label: string }[] = [
  { state: null, label: 'All' },
  { state: 'draft', label: 'Drafts' },
  { state: 'scheduled', label: 'Scheduled' },
  { state: 'published', label: 'Published' },
]

function MyPost({ post, onDelete }: { post: BlogSummary; onDelete: () => void }) {
  const { title, slug, summary, img, imgAlt, sample, publishAt } = post
  const state = useStateNow(post)
  return (
    <article className="my-post">
      {img === '' ? (
        <span className="my-post-image" />
      ) : (
        <img src={img} alt={imgAlt ?? ''} width={1200} height={630} loading="lazy" />
      )}
      <div className="my-post-words">
        <h2 dir="auto">{title}</h2>
        <p className="my-post-state">
          <StateChip state={state} />
          {publishAt !== null && (
            <time dateTime={publishAt}>
              {state === 'published' ? shownDay(publishAt) : shownTime(publishAt)}
            </time>
          )}
          {sample && <span className="chip">Sample</span>}
        </p>
        {summary !== '' && <p dir="auto">{firstCharacters(summary)}</p>}
      </div>
      <footer>
        <Link to={`/dashboard/edit/${slug}`} className="button button-quiet button-s">
          <Icon of={Pencil} />
          <span>
            Edit <span className="visually-hidden">{title}</span>
          </span>
        </Link>
        {state === 'published' && (
          <Link to={`/blog/${slug}`} className="button button-quiet button-s">
            <Icon of={ExternalLink} />
            <span>
              View <span className="visually-hidden">{title}</span>
            </span>
          </Link>
        )}
        <IconButton icon={Trash2} label={`Delete ${title}`} tip="Delete" onClick={onDelete} />
      </footer>
    </article>
  )
}

/** Counts code points, so that no character is cut in half. */
function firstCharacters(summary: string): string {
  return `${Array.from(summary).slice(0, SUMMARY_SHOWN).join('')}...`
}
