import { useQueryClient } from '@tanstack/react-query'
import { PageHeading } from '../ui/page-heading.tsx'
import { PostForm } from './post-form.tsx'
import { createPost, NO_POST, POSTS } from './posts.ts'

export function AddPostPage() {
  const queryClient = useQueryClient()
  return (
    <section className="dashboard-page">
      <PageHeading>Add blog</PageHeading>
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
    </section>
  )
}
