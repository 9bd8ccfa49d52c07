import type { IconName } from './icons.tsx'

/** The side menu. */
export const menu: readonly { path: string; label: string; icon: IconName }[] = [
  { path: '/dashboard/add-blog', label: 'Add blog', icon: 'write' },
  { path: '/dashboard/add-review', label: 'Add review', icon: 'star' },
  { path: '/dashboard/contacts', label: 'Contacts', icon: 'letter' },
  { path: '/dashboard/my-blogs', label: 'My blogs', icon: 'posts' },
  { path: '/dashboard/my-reviews', label: 'My reviews', icon: 'reviews' },
  { path: '/dashboard/chats', label: 'Messages', icon: 'messages' },
  { path: '/dashboard/account', label: 'Account', icon: 'person' },
]
