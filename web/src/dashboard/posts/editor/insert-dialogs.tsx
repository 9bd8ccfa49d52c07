import { type FormEvent, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { ImageField } from '../image-field.tsx'
import { linkAddress, playerAddress } from './formats.ts'

interface AddressDialogProps {
  title: string
  hint: string
  initial: string
  /** The address to insert, or null when the text is not one. */
  read: (text: string) => string | null
  refusal: string
  onClose: () => void
  onAddress: (address: string) => void
  onRemove?: () => void
}

function AddressDialog(props: AddressDialogProps) {
  const { title, hint, initial, read, refusal, onClose, onAddress, onRemove } = props
  const [text, setText] = useState(initial)
  const [error, setError] = useState<string>()

  function handleSubmit(event: FormEvent): void {
    event.preventDefault()
    const address = read(text)
    if (address === null) setError(refusal)
    else onAddress(address)
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={handleSubmit}>
        <Field label="Address" hint={hint} error={error}>
          {(shared) => (
            <input
              {...shared}
              type="text"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <div className="dialog-end">
          <button type="button" className="button button-quiet" onClick={onClose}>
            Cancel
          </button>
          {onRemove && (
            <button type="button" className="button button-quiet" onClick={onRemove}>
              Remove link
            </button>
          )}
          <button type="submit" className="button">
            Insert
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface LinkDialogProps {
  current: string
  onClose: () => void
  /** Null removes the link. */
  onLink: (address: string | null) => void
}

export function LinkDialog({ current, onClose, onLink }: LinkDialogProps) {
  return (
    <AddressDialog
      title="Link"
      hint="A web or mail address, a phone number, or a path on this site such as /faq."
      initial={current}
      read={linkAddress}
      refusal="This is no address that a link can have."
      onClose={onClose}
      onAddress={onLink}
      onRemove={current === '' ? undefined : () => onLink(null)}
    />
  )
}

export function VideoDialog({
  onClose,
  onVideo,
}: {
  onClose: () => void
  onVideo: (address: string) => void
}) {
  return (
    <AddressDialog
      title="Video"
      hint="The address of a video on YouTube or Vimeo."
      initial=""
      read={playerAddress}
      refusal="This is no video on YouTube or Vimeo."
      onClose={onClose}
      onAddress={onVideo}
    />
  )
}

interface ImageDialogProps {
  onClose: () => void
  onImage: (file: File, description: string) => void
}

export function ImageDialog({ onClose, onImage }: ImageDialogProps) {
  const [file, setFile] = useState<File | null>(null)
  const [description, setDescription] = useState('')
  const [missing, setMissing] = useState(false)

  function handleSubmit(event: FormEvent): void {
    event.preventDefault()
    if (file) onImage(file, description.trim())
    else setMissing(true)
  }

  return (
    <Dialog title="Image" onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={handleSubmit}>
        <ImageField
          label="File"
          file={file}
          error={missing && !file ? 'Please choose a file.' : undefined}
          onChange={setFile}
        />
        <Field label="Description" hint="What it shows, for those who cannot see it." error={undefined}>
          {(shared) => (
            <input
              {...shared}
              type="text"
              value={description}
              onChange={({ currentTarget }) => setDescription(currentTarget.value)}
            />
          )}
        </Field>
        <div className="dialog-end">
          <button type="button" className="button button-quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button">
            Insert
          </button>
        </div>
      </form>
    </Dialog>
  )
}
