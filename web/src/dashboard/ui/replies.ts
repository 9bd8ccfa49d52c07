import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { CannedReply, CannedReplyList } from '@proctorpass/shared/schemas/reply'
import { useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

export const REPLIES = ['replies']

export function useReplies({ enabled = true }: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: REPLIES,
    queryFn: ({ signal }) => callAsAdmin<CannedReplyList>(adminPaths.replies, { signal }),
    // The replies are read again whenever a list opens, because another admin may have changed them.
    enabled,
  })
}

/** A canned reply, with its words in the form in which they are compared. */
export interface SearchableReply {
  reply: CannedReply
  shortcut: string
  text: string
}

export function searchable(replies: readonly CannedReply[]): SearchableReply[] {
  return replies.map((reply) => ({ reply, shortcut: reply.shortcut, text: folded(reply.text) }))
}

/**
 * Returns the replies in which every word of the query occurs, in the shortcut or the text. Replies whose shortcut
 * begins with the query come first, then those whose shortcut has every word.
 */
export function matching(replies: readonly SearchableReply[], query: string): CannedReply[] {
  const words = folded(query).match(/[^\s-]+/g) ?? []
  const beginning = words.join('-')
  const ranks: CannedReply[][] = [[], [], []]
  for (const { reply, shortcut, text } of replies) {
    if (shortcut.startsWith(beginning)) ranks[0]?.push(reply)
    else if (words.every((word) => shortcut.includes(word))) ranks[1]?.push(reply)
    else if (words.every((word) => shortcut.includes(word) || text.includes(word))) ranks[2]?.push(reply)
  }
  return ranks.flat()
}

/** Removes case and accents, which do not count. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
