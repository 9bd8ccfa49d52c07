import type { BlogSummary } from '@proctorpass/shared/schemas/blog'

type Dates = Pick<BlogSummary, 'publishAt' | 'createdAt' | 'updatedAt'>

/** Returns a post's date on public pages. A draft's preview shows when the draft was begun. */
export function postDate({ publishAt, createdAt }: Pick<Dates, 'publishAt' | 'createdAt'>): string {
  return publishAt ?? createdAt
}

/** Returns when a post last changed for readers. A scheduled post is new to them when it is published. */
export function modifiedAt(post: Dates): string {
  const published = postDate(post)
  return Date.parse(published) > Date.parse(post.updatedAt) ? published : post.updatedAt
}
