import { useEffect, useRef, useState } from 'react'
import { Field } from '../ui/field.tsx'
import { IMAGE_ACCEPT, IMAGE_HINT, prepareImage, readAsDataUrl } from './image-file.ts'

interface ImageFieldProps {
  label: string
  /** The stored image's URL. */
  stored?: string
  file: File | null
  error: string | undefined
  onChange: (file: File | null) => void
}

/**
 * Takes and previews an image file, even if only this browser can read its type and must convert it. It refuses other
 * files.
 */
export function ImageField({ label, stored, file, error, onChange }: ImageFieldProps) {
  const [refusal, setRefusal] = useState<string>()
  const preview = usePreview(file) ?? stored
  const input = useRef<HTMLInputElement>(null)
  const chosen = useRef<File | null>(null)
  useEffect(() => {
    // The input would otherwise still name a file that was sent or removed.
    const field = input.current
    if (!field) return
    if (!file) field.value = ''
    else if (field.files?.[0] !== file) {
      // The file was restored from a draft.
      const choice = new DataTransfer()
      choice.items.add(file)
      field.files = choice.files
    }
  }, [file])
  async function choose(file: File | null): Promise<void> {
    chosen.current = file
    const prepared = file && (await prepareImage(file))
    // The admin has chosen another file in the meantime.
    if (chosen.current !== file) return
    setRefusal(typeof prepared === 'string' ? prepared : undefined)
    onChange(typeof prepared === 'string' ? null : prepared)
  }
  return (
    <div className="image-field">
      <Field label={label} hint={IMAGE_HINT} error={refusal ?? error}>
        {(shared) => (
          <input
            {...shared}
            ref={input}
            type="file"
            accept={IMAGE_ACCEPT}
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0] ?? null)}
          />
        )}
      </Field>
      {preview !== undefined && (
        <img src={preview} alt={file ? `Preview of ${file.name}` : 'Current image'} />
      )}
    </div>
  )
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
