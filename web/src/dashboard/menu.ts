import type { IconName } from './icons.tsx'

interface MenuEntry {
  path: string
  label: string
  icon: IconName
  /** The pattern of another page that belongs to this entry. */
  also?: string
}

/** The entry for this path shows how many reviews wait for approval. */
export const MY_REVIEWS = '/dashboard/my-reviews'

/** The side menu's groups and entries. */
export const menuGroups: readonly { label: string; entries: readonly MenuEntry[] }[] = [
  {
    label: 'Inbox',
    entries: [
      {
        path: '/dashboard/chats',
        label: 'Messages',
        icon: 'messages',
        also: '/dashboard/messages/:clientId',
      },
      { path: '/dashboard/reports', label: 'Reports', icon: 'chart' },
      { path: '/dashboard/contacts', label: 'Contacts', icon: 'letter' },
      { path: '/dashboard/replies', label: 'Canned replies', icon: 'reply' },
    ],
  },
  {
    label: 'Website',
    entries: [
      { path: '/dashboard/add-blog', label: 'Add blog', icon: 'write', also: '/dashboard' },
      { path: '/dashboard/my-blogs', label: 'My blogs', icon: 'posts', also: '/dashboard/edit/:slug' },
      { path: '/dashboard/add-review', label: 'Add review', icon: 'star' },
      { path: MY_REVIEWS, label: 'My reviews', icon: 'reviews' },
      { path: '/dashboard/sites', label: 'Sites', icon: 'sites' },
    ],
  },
  {
    label: 'Team and settings',
    entries: [
      { path: '/dashboard/team', label: 'Team', icon: 'people' },
      { path: '/dashboard/settings', label: 'Settings', icon: 'settings' },
      { path: '/dashboard/integrations', label: 'Integrations', icon: 'hook' },
      { path: '/dashboard/audit', label: 'Audit log', icon: 'log' },
      { path: '/dashboard/account', label: 'Account', icon: 'person' },
    ],
  },
]

export const menu: readonly MenuEntry[] = menuGroups.flatMap(({ entries }) => entries)
