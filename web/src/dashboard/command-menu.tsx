import { ImageUp, ListFilter, MessageSquareText, Search } from 'virtual:icons'
import { paths } from '@proctorpass/shared/paths'
import type { ConversationList } from '@proctorpass/shared/schemas/chat'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'react-router'
import { Icon } from '../components/icon.tsx'
import { afterClosing } from '../lib/back-closes.ts'
import { callAsAdmin } from '../lib/session.ts'
import { DEFAULT_FILTER, searchOf as listSearchOf, TABS } from './chats/live/filters.ts'
import { visitorName } from './chats/live/visitor-name.ts'
import { menu } from './menu.ts'
import { foundParts, isScattered, rankCommands } from './rank-commands.ts'
import { Dialog } from './ui/dialog.tsx'
import { availableCommands, keysLabel, type PageCommand } from './ui/shortcuts.ts'
import { useListbox } from './ui/use-listbox.ts'
import './command-menu.css'

/** The menu finds visitors among this many conversations: first the waiting ones, then the newest. */
const CONVERSATIONS_MAX = 500
const VISITORS_MAX = 5

const CONVERSATIONS = 'Conversations'

interface CommandMenuProps {
  onClose: () => void
  onGo: (path: string) => void
}

interface MenuCommand extends PageCommand {
  group: string
}

/** Finds a command or a visitor by a few letters, and then runs the command or opens the conversation. */
export function CommandMenu({ onClose, onGo }: CommandMenuProps) {
  const { pathname } = useLocation()
  const page = pathname.startsWith('/dashboard/messages/') ? 'This conversation' : 'This page'
  const [commands] = useState(() => [
    ...commandsOf('page', page),
    ...placesOf(onGo),
    ...commandsOf('frame', 'On every page'),
  ])
  const [typed, setTyped] = useState('')
  const query = typed.trim()
  const visitors = useVisitorCommands(onGo)
  const named = query === '' ? [] : rankCommands(visitors, query).slice(0, VISITORS_MAX)
  // Visitors and commands are ranked together, because a visitor's name says more than a command's scattered letters.
  const ranked = rankCommands([...commands, ...named], query)
  const near = ranked.filter(({ label }) => !isScattered(label, query))
  const groups = groupsOf([...(near.length > 0 ? near : ranked), ...searchOf(query, onGo)])
  const found = groups.flatMap((group) => group.commands)
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
        <div className="command-field">
          <Icon of={Search} />
          <input
            {...listbox.combobox}
            aria-label="Find a command"
            placeholder="Type a command, a visitor, or words to search for"
            enterKeyHint="go"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={listbox.handleKeyDown}
          />
        </div>
        <div id={listbox.id} className="command-list" role="listbox" aria-label="Commands" tabIndex={-1}>
          {groups.map(({ name, commands }) => (
            // biome-ignore lint/a11y/useSemanticElements: a list of options cannot hold a fieldset
            <div key={name} role="group" aria-label={name}>
              <p className="command-group" aria-hidden="true">
                {name}
              </p>
              {commands.map((command, index) => (
                <div key={index} {...listbox.option(command)}>
                  <Icon of={command.icon} />
                  <Label label={command.label} query={command.group === SEARCH ? '' : query} />
                  {command.keys !== undefined && <kbd>{keysLabel(command.keys)}</kbd>}
                </div>
              ))}
            </div>
          ))}
        </div>
        <p className="command-help" aria-hidden="true">
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> Choose
          </span>
          <span>
            <kbd>Enter</kbd> Run
          </span>
          <span>
            <kbd>Esc</kbd> Close
          </span>
        </p>
      </div>
    </Dialog>
  )
}

/** Shows a command with the letters that the text found. */
function Label({ label, query }: { label: string; query: string }) {
  return (
    <bdi className="command-label">
      {foundParts(label, query).map(({ text, isFound }, index) =>
        isFound ? <b key={index}>{text}</b> : text,
      )}
    </bdi>
  )
}

const SEARCH = 'Search'

function commandsOf(wanted: 'page' | 'frame', group: string): MenuCommand[] {
  return availableCommands()
    .filter(({ level }) => level === wanted)
    .map((command) => ({ ...command, group }))
}

/** Puts the commands below the names of their groups. The best command's group is first. */
function groupsOf(commands: readonly MenuCommand[]): { name: string; commands: MenuCommand[] }[] {
  const names = [...new Set(commands.map(({ group }) => group))]
  return names.map((name) => ({ name, commands: commands.filter(({ group }) => group === name) }))
}

function searchOf(query: string, onGo: CommandMenuProps['onGo']): MenuCommand[] {
  if (query === '') return []
  const run = () => onGo(`/dashboard/search?q=${encodeURIComponent(query)}`)
  return [{ label: `Search conversations for “${query}”`, run, group: SEARCH, icon: Search }]
}

function placesOf(onGo: CommandMenuProps['onGo']): MenuCommand[] {
  const pages = menu.map(({ path, label, icon }) => ({
    label: `Go to ${label}`,
    run: () => onGo(path),
    group: 'Go to',
    icon,
  }))
  const tabs = TABS.map(({ id, label }) => ({
    label: `Show ${label} conversations`,
    run: () => onGo(`/dashboard/chats${listSearchOf({ ...DEFAULT_FILTER, tab: id })}`),
    group: CONVERSATIONS,
    icon: ListFilter,
  }))
  const picture = {
    label: 'Change your picture',
    run: () => onGo('/dashboard/account#picture'),
    group: 'Go to',
    icon: ImageUp,
  }
  return [...pages, picture, ...tabs]
}

function useVisitorCommands(onGo: CommandMenuProps['onGo']): MenuCommand[] {
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
      group: CONVERSATIONS,
      icon: MessageSquareText,
    }
  })
}
