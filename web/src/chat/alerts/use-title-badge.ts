import { useEffect, useState } from 'react'

/** Shows the number of unread messages in the tab's title. Loads the code for this at the first unread message. */
export function useTitleBadge(count: number): void {
  const [badge, setBadge] = useState<typeof import('./tab-title.ts') | null>(null)
  useEffect(() => {
    if (count > 0 && !badge) import('./tab-title.ts').then(setBadge, () => {})
  }, [count, badge])
  useEffect(() => badge?.setTitleBadge(count), [count, badge])
  useEffect(() => () => badge?.setTitleBadge(0), [badge])
}
