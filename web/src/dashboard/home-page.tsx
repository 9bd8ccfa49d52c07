import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Navigate } from 'react-router-dom'
import { unreadQuery } from './chats/list/unread.ts'
import { Loading } from './ui/loading.tsx'
import { onDemand } from './ui/on-demand.tsx'

const AddPostPage = onDemand(async () => (await import('./posts/add-post-page.tsx')).AddPostPage)

/** `/dashboard`: the conversations while a message is unread, else the form for a post. */
export function HomePage() {
  const { data, isError } = useQuery(unreadQuery)
  // Decided once: a message that arrives later does not take the form away.
  const [hasUnread, setHasUnread] = useState<boolean | null>(null)
  if (hasUnread === null && (data || isError)) setHasUnread((data?.totalAdminUnread ?? 0) > 0)
  if (hasUnread === null) return <Loading />
  return hasUnread ? <Navigate to="/dashboard/chats" replace /> : <AddPostPage onFailed={() => {}} />
}
