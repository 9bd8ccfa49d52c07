import type { Blog, SavedBlog } from '@proctorpass/shared/schemas/blog'
import type { PostFields, PostVersion, VersionList } from '@proctorpass/shared/schemas/text'
import { textPaths } from '@proctorpass/shared/text-paths'
import { useQueryClient } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'
import { type ComparedPart, wordsOfHtml } from '../versions/compared-words.ts'
import { HistoryDialog } from '../versions/history-dialog.tsx'
import { POSTS } from './posts.ts'

interface PostHistoryProps {
  /** The post as it is stored. */
  post: Blog
  isDirty: boolean
  /** Receives the post after a restore. */
  onRestored: (post: Blog) => void
  onClose: () => void
}

/** Lists a post's versions. */
export function PostHistory({ post, isDirty, onRestored, onClose }: PostHistoryProps) {
  const queryClient = useQueryClient()
  const { _id, version } = post
  return (
    <HistoryDialog
      source={{
        name: `post ${_id}`,
        list: (signal) => callAsAdmin<VersionList>(textPaths.postVersions(_id), { signal }),
        async read(n, signal) {
          const { fields } = await callAsAdmin<PostVersion>(textPaths.postVersion(_id, n), { signal })
          return partsOfPost(fields)
        },
        isShipped: false,
        async restore(n, now) {
          const { message, data } = await callAsAdmin<SavedBlog>(textPaths.restorePost(_id, n), {
            method: 'POST',
            body: { version: now },
          })
          void queryClient.invalidateQueries({ queryKey: POSTS })
          onRestored(data)
          return message
        },
      }}
      present={{ version, parts: partsOfPost(post) }}
      lang={post.lang}
      isDirty={isDirty}
      onClose={onClose}
    />
  )
}

function partsOfPost({ title, summary, slug, img, imgAlt, content, lang }: PostFields): ComparedPart[] {
  return [
    { label: 'Title', text: title },
    { label: 'Summary', text: summary },
    { label: 'Blog Content', text: wordsOfHtml(content) },
    { label: 'Slug', text: slug },
    { label: 'Image', text: img },
    { label: 'Alt text', text: imgAlt ?? '' },
    { label: 'Language', text: lang },
  ]
}
