import type { Blog } from '@proctorpass/shared/schemas/blog'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { PostContent } from '../../components/post-content.tsx'
import { Conflict } from '../ui/conflict.tsx'
import { Loading } from '../ui/loading.tsx'
import { PostForm } from './post-form.tsx'
import { PostPage } from './post-page.tsx'
import { PostStanding } from './post-standing.tsx'
import { useStateNow } from './post-state.tsx'
import { changePost, POSTS, readPost, readPostById, storedFields } from './posts.ts'

export function EditPostPage() {
  const { slug = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: ['post', slug],
    queryFn: ({ signal }) => readPost(slug, signal),
    // The form reads the post once. Saving detects a newer version as a conflict.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    // A post with a new slug stays on screen while it is read again.
    placeholderData: keepPreviousData,
  })
  /** What a restore stored. The form begins with it. */
  const [restored, setRestored] = useState<{ post: Blog; number: number } | null>(null)
  const shown = restored !== null && restored.post._id === data?._id ? restored : { post: data, number: 0 }
  return (
    <PostPage heading="Edit Blog">
      {!data && !error && <Loading />}
      {error && (
        <div className="empty-state" role="alert">
          <p className="list-words">Could not load blog try again!</p>
          <button type="button" className="button" onClick={() => void refetch()}>
            Try again
          </button>
          <Link className="button button-quiet" to="/dashboard/my-blogs">
            All blogs
          </Link>
        </div>
      )}
      {shown.post && (
        <EditPost
          key={`${shown.post._id} ${shown.number}`}
          post={shown.post}
          onRestored={(post) => setRestored({ post, number: shown.number + 1 })}
        />
      )}
    </PostPage>
  )
}

interface EditPostProps {
  post: Blog
  /** Receives the post after an earlier version was restored. */
  onRestored: (post: Blog) => void
}

function EditPost({ post, onRestored }: EditPostProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [stored, setStored] = useState(post)
  const state = useStateNow(stored)
  return (
    <PostForm
      saved={storedFields(post)}
      version={post.version}
      storedImage={post.img}
      state={state}
      date={stored.publishAt ?? undefined}
      draftKey={`draft:blog:${post._id}`}
      send={async (sent) => {
        const { message, data } = await changePost(post._id, sent)
        void queryClient.invalidateQueries({ queryKey: POSTS })
        setStored(data)
        const { version, img, cleaned } = data
        return { message, version, state: data.state, img, cleaned }
      }}
      read={() => readPostById(post._id)}
      onSaved={({ slug }) => {
        if (slug !== post.slug) navigate(`/dashboard/edit/${slug}`, { replace: true })
      }}
      standing={({ submitAs, isDirty }) => (
        <PostStanding
          post={stored}
          isDirty={isDirty}
          onRestored={(restored) => {
            onRestored(restored)
            if (restored.slug !== stored.slug) navigate(`/dashboard/edit/${restored.slug}`, { replace: true })
          }}
          state={state}
          previewExpiresAt={post.previewExpiresAt}
          onDraft={() => submitAs('draft')}
        />
      )}
    >
      {(conflict) => (
        <Conflict what="this post" verb="submit" {...conflict}>
          <SavedVersion post={conflict.other} />
        </Conflict>
      )}
    </PostForm>
  )
}

/** Shows the version that another admin has saved in the meantime. */
function SavedVersion({ post }: { post: Blog }) {
  return (
    <>
      <p>Your version is still in the form below. This is the saved version:</p>
      <dl>
        <dt>Title</dt>
        <dd>{post.title}</dd>
        <dt>Summary</dt>
        <dd>{post.summary}</dd>
        <dt>Slug</dt>
        <dd>{post.slug}</dd>
        <dt>Alt text</dt>
        <dd>{post.imgAlt === '' ? 'Decorative' : (post.imgAlt ?? 'None yet')}</dd>
      </dl>
      <div className="conflict-content">
        <PostContent html={post.content} />
      </div>
    </>
  )
}
