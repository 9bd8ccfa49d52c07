import { CopyBox } from '../ui/copy-box.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface OnceDialogProps {
  title: string
  label: string
  text: string
  hint: string
  onClose: () => void
}

/** Shows a secret once, so that the admin can copy it. */
export function OnceDialog({ title, label, text, hint, onClose }: OnceDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <CopyBox label={label} text={text} hint={`Copy it now. It won't be shown again. ${hint}`} />
      <div className="dialog-end">
        <button type="button" className="button button-primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
