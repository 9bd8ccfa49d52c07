import { ChoiceList } from '../../ui/choice-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { keysLabel } from '../../ui/shortcuts.ts'
import { SEND_WAYS, type SendWay } from './send-way.ts'

interface SendMenuProps {
  /** The way that was chosen last. */
  chosen: SendWay
  near: HTMLElement | null
  onChoose: (way: SendWay) => void
  onClose: () => void
}

/** Shows the ways to send a reply. A choice sends, if there is something to send. */
export function SendMenu({ chosen, near, onChoose, onClose }: SendMenuProps) {
  return (
    <Dialog title="More ways to send" near={near} onClose={onClose}>
      <ChoiceList
        choices={SEND_WAYS.map(({ way, label, icon, keys }) => ({
          id: way,
          label,
          icon,
          keys: keys && keysLabel(keys),
          isCurrent: way === chosen,
        }))}
        onChoose={(id) => onChoose(id as SendWay)}
      />
    </Dialog>
  )
}
