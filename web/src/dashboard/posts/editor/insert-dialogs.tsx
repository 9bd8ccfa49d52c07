import { ALT_REQUIRED, altProblem } from '@proctorpass/shared/fields/post'
import { type FormEvent, useRef, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogEnd } from '../../ui/dialog-end.tsx'
import { Field } from '../../ui/field.tsx'
import { AltTextField, type Description } from '../alt-text-field.tsx'
import { ImageField } from '../image-field.tsx'
import { linkAddress, playerAddress } from './addresses.ts'

interface AddressDialogProps {
  title: string
  hint: string
  initial: string
  /** Returns the address to insert, or null if the text is not an address. */
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
        <DialogEnd submitLabel="Insert" onCancel={onClose}>
          {onRemove && (
            <button type="button" className="button" onClick={onRemove}>
              Remove link
            </button>
          )}
        </DialogEnd>
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
      hint="A web address, an email address, a phone number, or a path on this site, such as /faq."
      initial={current}
      read={linkAddress}
      refusal="Enter a web address, email or path"
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
      hint="A video on YouTube or Vimeo."
      initial=""
      read={playerAddress}
      refusal="Enter the address of a YouTube or Vimeo video"
      onClose={onClose}
      onAddress={onVideo}
    />
  )
}

interface ImageDialogProps {
  onClose: () => void
  onImage: (file: File, description: Description) => void
}

export function ImageDialog({ onClose, onImage }: ImageDialogProps) {
  const [file, setFile] = useState<File | null>(null)
  const [description, setDescription] = useState<Description>({ alt: '', isDecorative: false })
  const [isRefused, setRefused] = useState(false)
  const altField = useRef<HTMLInputElement | null>(null)
  const problem = altProblem(description.alt, description.isDecorative)

  function handleSubmit(event: FormEvent): void {
    event.preventDefault()
    if (file && problem === null) {
      onImage(file, description)
      return
    }
    setRefused(true)
    if (file) altField.current?.focus()
  }

  return (
    <Dialog title="Image" onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={handleSubmit}>
        <ImageField
          label="File"
          file={file}
          error={isRefused && !file ? 'Choose a file' : undefined}
          onChange={setFile}
        />
        <AltTextField
          value={description}
          error={isRefused || problem !== ALT_REQUIRED ? (problem ?? undefined) : undefined}
          inputRef={(field) => {
            altField.current = field
          }}
          onChange={setDescription}
        />
        <DialogEnd submitLabel="Insert" onCancel={onClose} />
      </form>
    </Dialog>
  )
}
