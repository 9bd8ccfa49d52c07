import {
  ChartColumn,
  CircleHelp,
  CircleUser,
  FileText,
  ListChecks,
  Mail,
  MessageSquareQuote,
  MessageSquareText,
  Newspaper,
  PanelsTopLeft,
  PencilLine,
  ScrollText,
  SlidersHorizontal,
  Star,
  Users,
  Webhook,
} from 'virtual:icons'

interface MenuEntry {
  path: string
  label: string
  /** The icon's path data. */
  icon: string
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
        icon: MessageSquareText,
        also: '/dashboard/messages/:clientId',
      },
      { path: '/dashboard/reports', label: 'Reports', icon: ChartColumn },
      { path: '/dashboard/contacts', label: 'Contacts', icon: Mail },
      { path: '/dashboard/replies', label: 'Canned replies', icon: MessageSquareQuote },
    ],
  },
  {
    label: 'Website',
    entries: [
      { path: '/dashboard/add-blog', label: 'Add blog', icon: PencilLine, also: '/dashboard' },
      { path: '/dashboard/my-blogs', label: 'My blogs', icon: Newspaper, also: '/dashboard/edit/:slug' },
      { path: '/dashboard/add-review', label: 'Add review', icon: Star },
      { path: MY_REVIEWS, label: 'My reviews', icon: ListChecks },
      { path: '/dashboard/pages', label: 'Pages', icon: FileText, also: '/dashboard/pages/:key' },
      { path: '/dashboard/faq', label: 'FAQ', icon: CircleHelp, also: '/dashboard/faq/:id' },
      { path: '/dashboard/sites', label: 'Sites', icon: PanelsTopLeft },
    ],
  },
  {
    label: 'Team and settings',
    entries: [
      { path: '/dashboard/team', label: 'Team', icon: Users },
      { path: '/dashboard/settings', label: 'Settings', icon: SlidersHorizontal },
      { path: '/dashboard/integrations', label: 'Integrations', icon: Webhook },
      { path: '/dashboard/audit', label: 'Audit log', icon: ScrollText },
      { path: '/dashboard/account', label: 'Account', icon: CircleUser },
    ],
  },
]

export const menu: readonly MenuEntry[] = menuGroups.flatMap(({ entries }) => entries)
