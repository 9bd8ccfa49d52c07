import { paths } from '@proctorpass/shared/paths'
import type { ConversationList } from '@proctorpass/shared/schemas/chat'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { afterClosing } from '../lib/back-closes.ts'
import { callAsAdmin } from '../lib/session.ts'
import { DEFAULT_FILTER, searchOf, TABS } from './chats/live/filters.ts'
import { visitorName } from './chats/live/visitor-name.tsx'
import { menu } from './menu.ts'
import { rankCommands } from './rank-commands.ts'
import { Dialog } from './ui/dialog.tsx'
import {
  areShortcutsOff,
  availableCommands,
  keysLabel,
  type PageCommand,
  setShortcutsOff,
} from './ui/shortcuts.ts'
import { useListbox } from './ui/use-listbox.ts'
import './command-menu.css'

/** The menu finds visitors among this many conversations: first the waiting ones, then the newest. */
const CONVERSATIONS_MAX = 500
const VISITORS_MAX = 5

interface CommandMenuProps {
  onClose: () => void
  onGo: (path: string) => void
}

/** Finds a command or a visitor by a few letters, and then runs the command or opens the conversation. */
export function CommandMenu({ onClose, onGo }: CommandMenuProps) {
  const [commands] = useState(() => [...availableCommands(), ...placesOf(onGo)])
  const [typed, setTyped] = useState('')
  const query = typed.trim()
  const visitors = useVisitorCommands(onGo)
  const search: PageCommand[] =
    query === ''
      ? []
      : [
          {
            label: `Search conversations for “${query}”`,
            run: () => onGo(`/dashboard/search?q=${encodeURIComponent(query)}`),
          },
        ]
  const named = query === '' ? [] : rankCommands(visitors, query).slice(0, VISITORS_MAX)
  // Visitors and commands are ranked together, because a visitor's name says more than a command's scattered letters.
  const found = [...rankCommands([...commands, ...named], query), ...search]
  /** The focus returns to its former place before the command moves it. */
  function run(command: PageCommand): void {
    flushSync(onClose)
    afterClosing(command.run)
  }

  const listbox = useListbox({
    items: found,
    keyOf: (command) => String(found.indexOf(command)),
    query: typed,
    onChoose: run,
  })

  return (
    <Dialog title="Commands" isPlain onClose={onClose}>
      <div className="command-menu">
        <input
          type="text"
          role="combobox"
          aria-label="Find a command"
          aria-autocomplete="list"
          aria-expanded="true"
          aria-controls={listbox.id}
          aria-activedescendant={listbox.activeId}
          placeholder="Type a command, a visitor, or words to search for"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={listbox.handleKeyDown}
        />
        <div id={listbox.id} className="command-list" role="listbox" aria-label="Commands" tabIndex={-1}>
          {found.map((command, index) => (
            <div key={index} className="command" {...listbox.option(command)}>
              <span>{command.label}</span>
              {command.keys !== undefined && <kbd>{keysLabel(command.keys)}</kbd>}
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  )
}

function placesOf(onGo: CommandMenuProps['onGo']): PageCommand[] {
  const tabs = TABS.map(({ id, label }) => ({
    label: `Show ${label} conversations`,
    run: () => onGo(`/dashboard/chats${searchOf({ ...DEFAULT_FILTER, tab: id })}`),
  }))
  const pages = menu.map(({ path, label }) => ({ label: `Go to ${label}`, run: () => onGo(path) }))
  return [...tabs, ...pages]
}

function useVisitorCommands(onGo: CommandMenuProps['onGo']): PageCommand[] {
  const { data } = useQuery({
    queryKey: ['visitors by name'],
    queryFn: ({ signal }) =>
      callAsAdmin<ConversationList>(`${paths.chat}?limit=${CONVERSATIONS_MAX}`, { signal }),
  })
  if (!Array.isArray(data)) return []
  return data.map((conversation) => {
    const { email } = conversation.visitor
    return {
      label: `Open ${visitorName(conversation)}${email === null ? '' : ` (${email})`}`,
      run: () => onGo(`/dashboard/messages/${conversation.clientId}`),
    }
  })
}

/** Lists the commands that have keys. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const [commands] = useState(() => availableCommands().filter(({ keys }) => keys !== undefined))
  const [off, setOff] = useState(areShortcutsOff)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="shortcut-list">
        {commands.map(({ label, keys = '' }) => (
          <div key={`${keys} ${label}`}>
            <dt>{label}</dt>
            <dd>
              <kbd>{keysLabel(keys)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <p className="shortcut-note">Shortcuts don't work while you type. Press Esc first.</p>
      <label className="checkbox">
        <input
          type="checkbox"
          checked={!off}
          onChange={(event) => {
            setShortcutsOff(!event.target.checked)
            setOff(!event.target.checked)
          }}
        />
        Enable single-key shortcuts
      </label>
    </Dialog>
  )
}
