import type { BlogSummary } from '@proctorpass/shared/schemas/blog'

/** Returns when a post last changed for readers. A scheduled post is new to them when it is published. */
export function modifiedAt({ publishAt, updatedAt }: BlogSummary): string {
  return publishAt && Date.parse(publishAt) > Date.parse(updatedAt) ? publishAt : updatedAt
}
