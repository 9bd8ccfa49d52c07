import { useQueryClient } from '@tanstack/react-query'
import { PostForm } from './post-form.tsx'
import { PostPage } from './post-page.tsx'
import { createPost, NO_POST, POSTS } from './posts.ts'

export function AddPostPage() {
  const queryClient = useQueryClient()
  return (
    <PostPage heading="Add blog">
      <PostForm
        saved={NO_POST}
        version={0}
        submitLabel="Add"
        draftKey="draft:blog"
        send={async ({ fields, file, onProgress }) => {
          if (!file) throw new Error('A new post needs an image, so the form must not send without one.')
          const { message, data } = await createPost(fields, file, onProgress)
          void queryClient.invalidateQueries({ queryKey: POSTS })
          // If the admin submits the form again, it creates another post.
          return { message, version: 0, cleaned: data.cleaned }
        }}
      />
    </PostPage>
  )
}
