import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { toast } from '../components/toast.ts'
import { useAdminChat } from './chats/conversation/admin-chat.tsx'
import { DEFAULT_FILTER, searchOf, TABS } from './chats/list/filters.ts'
import { Icon } from './icons.tsx'
import { menu } from './menu.ts'
import { onDemand } from './ui/on-demand.tsx'
import {
  ariaKeys,
  awaitField,
  keysLabel,
  type PageCommand,
  useCommands,
  useShortcuts,
} from './ui/shortcuts.ts'

const MENU_KEYS = 'mod+k'

const CommandMenu = onDemand(async () => (await import('./command-menu.tsx')).CommandMenu)
const ShortcutList = onDemand(async () => (await import('./command-menu.tsx')).ShortcutList)

/** The button of the command menu, its keys, and the commands of every page. */
export function Commands() {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'commands' | 'shortcuts' | null>(null)
  const search = (query: string) => navigate(`/dashboard/search${query && `?q=${encodeURIComponent(query)}`}`)
  const openConversation = (clientId: string) => navigate(`/dashboard/messages/${clientId}`)
  const { undo } = useAdminChat()
  const tabs: PageCommand[] = TABS.map(({ id, label }) => ({
    label: `Show ${label} conversations`,
    run: () => navigate(`/dashboard/chats${searchOf({ ...DEFAULT_FILTER, tab: id })}`),
  }))
  const pages: PageCommand[] = menu.map(({ path, label }) => ({
    label: `Go to ${label}`,
    run: () => navigate(path),
  }))
  useCommands(
    [
      {
        label: 'Search conversations',
        keys: '/',
        run() {
          awaitField()
          search('')
        },
      },
      { label: 'Commands', keys: MENU_KEYS, inFields: true, run: () => setOpen('commands') },
      { label: 'Keyboard shortcuts', keys: '?', run: () => setOpen('shortcuts') },
      {
        label: 'Undo the last change',
        keys: 'mod+z',
        run: () => (undo.current ? undo.current() : toast.info('Nothing to undo')),
      },
      ...tabs,
      ...pages,
    ],
    'frame',
  )
  useShortcuts()

  const close = () => setOpen(null)
  return (
    <>
      <button
        type="button"
        className="dashboard-button"
        aria-label="Commands"
        aria-haspopup="dialog"
        aria-keyshortcuts={ariaKeys(MENU_KEYS)}
        title={`Commands (${keysLabel(MENU_KEYS)})`}
        onClick={() => setOpen('commands')}
      >
        <Icon name="commands" />
      </button>
      {open === 'commands' && (
        <CommandMenu onFailed={close} onClose={close} onSearch={search} onOpen={openConversation} />
      )}
      {open === 'shortcuts' && <ShortcutList onFailed={close} onClose={close} />}
    </>
  )
}
