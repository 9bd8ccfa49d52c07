import { useEffect, useState } from 'react'

/** Shows how many messages are unread in the tab's title. Its code is loaded for the first of them. */
export function useTitleBadge(count: number): void {
  const [badge, setBadge] = useState<typeof import('./tab-title.ts') | null>(null)
  useEffect(() => {
    if (count > 0 && !badge) import('./tab-title.ts').then(setBadge, () => {})
  }, [count, badge])
  useEffect(() => badge?.setTitleBadge(count), [count, badge])
  useEffect(() => () => badge?.setTitleBadge(0), [badge])
}
