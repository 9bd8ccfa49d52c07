import { ImageUp, Trash2 } from 'virtual:icons'
import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Field } from '../ui/field.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { IMAGE_ACCEPT, IMAGE_HINT, prepareImage, readAsDataUrl } from './image-file.ts'

interface ImageFieldProps {
  label: string
  /** The stored image's URL. */
  stored?: string | undefined
  file: File | null
  /** The share of the file that has been sent, from 0 to 1. Null while nothing is sent. */
  progress?: number | null
  error: string | undefined
  /** Receives the native input, which takes pasted files with `giveFile`. */
  inputRef?: RefObject<HTMLInputElement | null>
  onChange: (file: File | null) => void
}

/**
 * Takes and previews an image file, even if only this browser can read its type and must convert it. It refuses other
 * files. The native input covers the whole zone, so that the browser itself takes a click, a key, or a dropped file.
 */
export function ImageField(props: ImageFieldProps) {
  const { label, stored, file, progress = null, error, inputRef, onChange } = props
  const [refusal, setRefusal] = useState<string>()
  const preview = usePreview(file) ?? stored
  const [isOver, setOver] = useState(false)
  const hint = useId()
  const own = useRef<HTMLInputElement>(null)
  const input = inputRef ?? own
  const chosen = useRef<File | null>(null)
  useEffect(() => {
    // The input would otherwise still name a file that was sent or removed.
    const field = input.current
    if (!field) return
    if (!file) field.value = ''
    else if (field.files?.[0] !== file) {
      // The file was restored from a draft.
      field.files = listOf(file)
    }
  }, [file, input])
  async function choose(file: File | null): Promise<void> {
    chosen.current = file
    const prepared = file && (await prepareImage(file))
    // The admin has chosen another file in the meantime.
    if (chosen.current !== file) return
    setRefusal(typeof prepared === 'string' ? prepared : undefined)
    onChange(typeof prepared === 'string' ? null : prepared)
  }
  const isFilled = preview !== undefined
  return (
    <Field label={label} error={refusal ?? error}>
      {(shared) => (
        <div
          className="drop-zone"
          data-filled={isFilled}
          data-over={isOver}
          data-invalid={shared['aria-invalid']}
        >
          {isFilled && <img src={preview} alt={file ? `Preview of ${file.name}` : 'Current image'} />}
          {isFilled ? (
            <span className="button button-s">
              <Icon of={ImageUp} />
              Replace
            </span>
          ) : (
            <span className="drop-zone-words">
              <Icon of={ImageUp} large />
              <span>
                <b>Choose a file</b>, or drop or paste one
              </span>
            </span>
          )}
          <span className="field-hint" id={hint}>
            {IMAGE_HINT}
          </span>
          <input
            {...shared}
            aria-describedby={[hint, shared['aria-describedby']].filter(Boolean).join(' ')}
            ref={input}
            type="file"
            accept={IMAGE_ACCEPT}
            onDragEnter={() => setOver(true)}
            onDragLeave={() => setOver(false)}
            onDrop={() => setOver(false)}
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0] ?? null)}
          />
          {file && isFilled && progress === null && (
            <IconButton
              icon={Trash2}
              label="Remove"
              onClick={() => {
                void choose(null)
                input.current?.focus()
              }}
            />
          )}
          {file && progress !== null && progress > 0 && (
            <span className="drop-zone-progress">
              <progress value={progress} aria-label="Upload" /> {Math.round(progress * 100)}%
            </span>
          )}
        </div>
      )}
    </Field>
  )
}

function listOf(file: File): FileList {
  const choice = new DataTransfer()
  choice.items.add(file)
  return choice.files
}

/** Chooses a file in an image field, as if the admin had dropped it there. */
export function giveFile(input: HTMLInputElement, file: File): void {
  input.files = listOf(file)
  input.dispatchEvent(new Event('change', { bubbles: true }))
}

export function usePreview(file: File | null): string | undefined {
  const [read, setRead] = useState<{ file: File; url: string }>()
  useEffect(() => {
    if (!file) return
    let isCurrent = true
    readAsDataUrl(file).then(
      (url) => isCurrent && setRead({ file, url }),
      // If the file is no longer readable, sending it fails with a message.
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [file])
  return read?.file === file ? read?.url : undefined
}
