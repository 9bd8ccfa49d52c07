import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { serverNow } from '../../../lib/server-clock.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { blockText } from './block-text.ts'
import { useBlock } from './use-block.ts'
import './menus.css'

const HOURS: Record<string, number | null> = { '1 hour': 1, '1 day': 24, '1 week': 168, Permanently: null }
const UNBLOCK = 'Unblock'

interface BlockMenuProps {
  conversation: ConversationSummary
  near?: HTMLElement | null
  onClose: () => void
}

/** Blocks a visitor, or lifts the block. It is open while it is rendered. */
export function BlockMenu({ conversation, near, onClose }: BlockMenuProps) {
  const { block, unblock } = useBlock()
  const blocked = blockText(conversation.blockedUntil, serverNow())

  function choose(choice: string): void {
    onClose()
    void (choice === UNBLOCK ? unblock(conversation) : block(conversation, HOURS[choice] ?? null))
  }

  const choices = Object.keys(HOURS).map((label) => ({ id: label, label }))
  return (
    <Dialog title="Block this visitor" near={near ?? null} onClose={onClose}>
      <p>
        {blocked === ''
          ? "Blocking resolves the conversation. New messages and files from this visitor will be rejected. They can still read the conversation and won't be notified."
          : blocked}
      </p>
      <ChoiceList
        choices={blocked === '' ? choices : [{ id: UNBLOCK, label: UNBLOCK }, ...choices]}
        onChoose={choose}
      />
    </Dialog>
  )
}
