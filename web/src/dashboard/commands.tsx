import { useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { toast } from '../components/toast.ts'
import { Icon } from './icons.tsx'
import { menu } from './menu.ts'
import { ariaKeys, type Command, keysLabel, useCommands, useShortcuts } from './ui/shortcuts.ts'

const MENU_KEYS = 'mod+k'

type Menus = typeof import('./command-menu.tsx')
type MenuName = 'commands' | 'shortcuts'

/** The button of the command menu, its keys, and the commands of every page. */
export function Commands() {
  const navigate = useNavigate()
  const [open, setOpen] = useState<MenuName | null>(null)
  const menus = useRef<Menus | null>(null)

  async function show(name: MenuName): Promise<void> {
    try {
      menus.current ??= await import('./command-menu.tsx')
      setOpen(name)
    } catch {
      toast.error("Couldn't load the commands. Try again.")
    }
  }

  const search = (query: string) => navigate(`/dashboard/search${query && `?q=${encodeURIComponent(query)}`}`)
  const pages: Command[] = menu.map(({ path, label }) => ({
    label: `Go to ${label}`,
    run: () => navigate(path),
  }))
  useCommands(
    [
      { label: 'Search conversations', keys: '/', run: () => search('') },
      { label: 'Commands', keys: MENU_KEYS, run: () => void show('commands') },
      { label: 'Keyboard shortcuts', keys: '?', run: () => void show('shortcuts') },
      ...pages,
    ],
    'frame',
  )
  useShortcuts()

  const close = () => setOpen(null)
  const { CommandMenu, ShortcutList } = menus.current ?? {}
  return (
    <>
      <button
        type="button"
        className="dashboard-button"
        aria-label="Commands"
        aria-haspopup="dialog"
        aria-keyshortcuts={ariaKeys(MENU_KEYS)}
        title={`Commands (${keysLabel(MENU_KEYS)})`}
        onClick={() => void show('commands')}
      >
        <Icon name="commands" />
      </button>
      {open === 'commands' && CommandMenu && <CommandMenu onClose={close} onSearch={search} />}
      {open === 'shortcuts' && ShortcutList && <ShortcutList onClose={close} />}
    </>
  )
}
