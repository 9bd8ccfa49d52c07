import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Navigate, useNavigation } from 'react-router'
import { unreadQuery } from './chats/live/unread.ts'
import { Loading } from './ui/loading.tsx'
import { onDemand } from './ui/on-demand.tsx'

const AddPostPage = onDemand(async () => (await import('./posts/add-post-page.tsx')).AddPostPage)

/** `/dashboard`: the conversations while a message is unread, else the form for a post. */
export function HomePage() {
  const { data, isError } = useQuery(unreadQuery)
  // Decided once: a message that arrives later does not take the form away.
  const [hasUnread, setHasUnread] = useState<boolean | null>(null)
  if (hasUnread === null && (data || isError)) setHasUnread((data?.totalAdminUnread ?? 0) > 0)
  // A link that is pressed while the count loads leads where it says: a redirect would cancel its navigation.
  const isLeaving = useNavigation().state !== 'idle'
  if (hasUnread === false) return <AddPostPage onFailed={() => {}} />
  return hasUnread && !isLeaving ? <Navigate to="/dashboard/chats" replace /> : <Loading />
}
