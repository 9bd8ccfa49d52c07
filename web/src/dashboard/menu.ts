import type { IconName } from './icons.tsx'

/** The side menu, in its order. An entry comes with its page. */
export const menu: readonly { path: string; label: string; icon: IconName }[] = [
  { path: '/dashboard/chats', label: 'Messages', icon: 'messages' },
]
