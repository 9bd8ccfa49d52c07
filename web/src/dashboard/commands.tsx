import { Keyboard, Search, Undo2 } from 'virtual:icons'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../components/icon.tsx'
import { toast } from '../components/toast.ts'
import { useAdminChat } from './chats/live/admin-chat-context.tsx'
import { onDemand } from './ui/on-demand.tsx'
import { ariaKeys, awaitField, keysLabel, useCommands, useShortcuts } from './ui/shortcuts.ts'

const MENU_KEYS = 'mod+k'

const CommandMenu = onDemand(async () => (await import('./command-menu.tsx')).CommandMenu)
const ShortcutList = onDemand(async () => (await import('./shortcut-list.tsx')).ShortcutList)

/** Renders the command menu's button, handles its keys, and offers the commands that have keys on every page. */
export function Commands() {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'commands' | 'shortcuts' | null>(null)
  const { undo } = useAdminChat()
  useCommands(
    [
      {
        label: 'Search conversations',
        icon: Search,
        keys: '/',
        run() {
          awaitField()
          navigate('/dashboard/search')
        },
      },
      {
        label: 'Commands',
        icon: Search,
        keys: MENU_KEYS,
        inFields: true,
        run: () => setOpen('commands'),
      },
      { label: 'Keyboard shortcuts', icon: Keyboard, keys: '?', run: () => setOpen('shortcuts') },
      {
        label: 'Undo the last change',
        icon: Undo2,
        keys: 'mod+z',
        run: () => (undo.current ? undo.current() : toast.info('Nothing to undo')),
      },
    ],
    'frame',
  )
  useShortcuts()

  const close = () => setOpen(null)
  return (
    <>
      <button
        type="button"
        className="dashboard-commands"
        aria-haspopup="dialog"
        aria-keyshortcuts={ariaKeys(MENU_KEYS)}
        onClick={() => setOpen('commands')}
      >
        <Icon of={Search} />
        <span>Commands</span>
        <span className="key" aria-hidden="true">
          {keysLabel(MENU_KEYS)}
        </span>
      </button>
      {open === 'commands' && <CommandMenu onFailed={close} onClose={close} onGo={navigate} />}
      {open === 'shortcuts' && <ShortcutList onFailed={close} onClose={close} />}
    </>
  )
}
