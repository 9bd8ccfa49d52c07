import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { afterClosing } from '../../../lib/back-closes.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { keysLabel } from '../../ui/shortcuts.ts'
import type { HeadCommand } from './conversation-commands.tsx'
import '../changes/menus.css'

interface ConversationMenuProps {
  commands: readonly HeadCommand[]
  near: HTMLElement | null
  onClose: () => void
  /** Rendered above the commands. */
  children: ReactNode
}

/** Lists the commands that have no button in a conversation's head. It is open while it is rendered. */
export function ConversationMenu({ commands, near, onClose, children }: ConversationMenuProps) {
  const hasKeys = window.matchMedia('(pointer: fine)').matches
  return (
    <Dialog title="More" near={near} onClose={onClose}>
      {children}
      <ChoiceList
        choices={commands.map(({ label, icon, keys, isRed }) => ({
          id: label,
          label,
          icon,
          isRed,
          keys: hasKeys && keys !== undefined ? keysLabel(keys) : undefined,
        }))}
        onChoose={(chosen) => {
          flushSync(onClose)
          const command = commands.find(({ label }) => label === chosen)
          if (command) afterClosing(command.run)
        }}
      />
    </Dialog>
  )
}
