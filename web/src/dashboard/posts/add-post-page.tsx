import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { PostForm } from './post-form.tsx'
import { PostPage } from './post-page.tsx'
import { createPost, NO_POST, POSTS } from './posts.ts'

export function AddPostPage() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return (
    <PostPage heading="Add blog">
      <PostForm
        saved={NO_POST}
        version={0}
        draftKey="draft:blog"
        send={async (post) => {
          const { message, data } = await createPost(post)
          void queryClient.invalidateQueries({ queryKey: POSTS })
          // If the admin submits the form again, it creates another post.
          return { message, version: 0, state: data.state, cleaned: data.cleaned }
        }}
        onSaved={({ slug }, { state }) => {
          // The admin goes on with a post that is not published yet.
          if (state !== 'published') navigate(`/dashboard/edit/${slug}`, { replace: true })
        }}
      />
    </PostPage>
  )
}
