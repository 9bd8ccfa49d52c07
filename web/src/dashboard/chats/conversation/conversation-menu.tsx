import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { afterClosing } from '../../../lib/back-closes.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { PageCommand } from '../../ui/shortcuts.ts'
import '../changes/menus.css'

interface ConversationMenuProps {
  commands: readonly (PageCommand & { isRed?: boolean })[]
  near: HTMLElement | null
  onClose: () => void
  /** Rendered above the commands. */
  children: ReactNode
}

/** Lists the commands that have no button in a conversation's head. It is open while it is rendered. */
export function ConversationMenu({ commands, near, onClose, children }: ConversationMenuProps) {
  return (
    <Dialog title="More" near={near} onClose={onClose}>
      {children}
      <ChoiceList
        choices={commands.map(({ label, isRed }) => ({ id: label, label, isRed }))}
        onChoose={(chosen) => {
          flushSync(onClose)
          const command = commands.find(({ label }) => label === chosen)
          if (command) afterClosing(command.run)
        }}
      />
    </Dialog>
  )
}
