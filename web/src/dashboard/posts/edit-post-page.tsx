import { AppError } from '@proctorpass/shared/errors'
import type { Blog } from '@proctorpass/shared/schemas/blog'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router-dom'
import { PostContent } from '../../components/post-content.tsx'
import { toast } from '../../components/toast.ts'
import { Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PostForm } from './post-form.tsx'
import { changePost, POSTS, readPost, readPostById, storedFields } from './posts.ts'

export function EditPostPage() {
  const { slug = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: ['post', slug],
    queryFn: ({ signal }) => readPost(slug, signal),
    // The form reads it once: saving detects a newer version as a conflict.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    // A post with a new slug stays on screen while it is read again.
    placeholderData: keepPreviousData,
  })
  return (
    <section className="dashboard-page">
      <PageHeading>Edit Blog</PageHeading>
      {!data && !error && <Loading />}
      {error && (
        <div className="dashboard-note" role="alert">
          <p>Could not load blog try again!</p>
          <button type="button" className="button button-quiet" onClick={() => void refetch()}>
            Try again
          </button>{' '}
          <Link to="/dashboard/my-blogs">All blogs</Link>
        </div>
      )}
      {data && <EditPost key={data._id} post={data} />}
    </section>
  )
}

function EditPost({ post }: { post: Blog }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [other, setOther] = useState<Blog | null>(null)

  return (
    <PostForm
      saved={storedFields(post)}
      version={post.version}
      storedImage={post.img}
      submitLabel="Submit"
      draftKey={`draft:blog:${post._id}`}
      send={async ({ fields, file, version, onProgress }) => {
        const { message, data } = await changePost(post._id, version, fields, file, onProgress)
        setOther(null)
        void queryClient.invalidateQueries({ queryKey: POSTS })
        return { message, version: data.version, img: data.img }
      }}
      onSaved={({ slug }) => {
        if (slug !== post.slug) navigate(`/dashboard/edit/${slug}`, { replace: true })
      }}
      onFailure={async (error) => {
        if (!isVersionConflict(error)) return false
        const stored = await readPostById(post._id).catch(() => null)
        if (!stored) return false
        toast.error(error.message)
        setOther(stored)
        return true
      }}
    >
      {({ replace, setVersion }) =>
        other && (
          <Conflict
            other={other}
            onKeepMine={() => {
              setVersion(other.version)
              setOther(null)
            }}
            onTakeOther={() => {
              replace(storedFields(other), other.version)
              setOther(null)
            }}
          />
        )
      }
    </PostForm>
  )
}

function isVersionConflict(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    error.code === 'conflict' &&
    error.details?.some(({ field }) => field === 'version') === true
  )
}

interface ConflictProps {
  other: Blog
  onKeepMine: () => void
  onTakeOther: () => void
}

/** The version that another admin saved meanwhile, below the unchanged form. */
function Conflict({ other, onKeepMine, onTakeOther }: ConflictProps) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    section.current?.focus()
    section.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section ref={section} className="conflict" aria-labelledby="conflict-heading" tabIndex={-1}>
      <h2 id="conflict-heading">Someone else saved this post while you were editing</h2>
      <p>Your version is still in the form above. This is the saved version:</p>
      <dl>
        <dt>Title</dt>
        <dd>{other.title}</dd>
        <dt>Summary</dt>
        <dd>{other.summary}</dd>
        <dt>Slug</dt>
        <dd>{other.slug}</dd>
        <dt>Alt text</dt>
        <dd>{other.imgAlt === '' ? 'Decorative' : (other.imgAlt ?? 'None yet')}</dd>
      </dl>
      <div className="conflict-content">
        <PostContent html={other.content} />
      </div>
      <p>To replace the saved version, keep yours and submit again. Or continue with the saved version.</p>
      <div className="dialog-end">
        <button type="button" className="button button-quiet" onClick={onTakeOther}>
          Use saved version
        </button>
        <button type="button" className="button" onClick={onKeepMine}>
          Keep mine
        </button>
      </div>
    </section>
  )
}
