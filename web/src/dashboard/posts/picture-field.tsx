import { useEffect, useRef, useState } from 'react'
import { Field } from '../ui/field.tsx'
import { PICTURE_ACCEPT, PICTURE_HINT, pictureProblem, readAsDataUrl } from './picture-file.ts'

interface PictureFieldProps {
  label: string
  /** The address of the picture that is stored already. */
  stored?: string
  file: File | null
  error: string | undefined
  onChange: (file: File | null) => void
}

/** Takes an image and shows it; a file that would be refused is told at once and not taken. */
export function PictureField({ label, stored, file, error, onChange }: PictureFieldProps) {
  const [refusal, setRefusal] = useState<string>()
  const preview = usePreview(file) ?? stored
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // It would go on naming a file that is sent or given up.
    const field = input.current
    if (!field) return
    if (!file) field.value = ''
    else if (field.files?.[0] !== file) {
      // One that comes out of a draft.
      const choice = new DataTransfer()
      choice.items.add(file)
      field.files = choice.files
    }
  }, [file])
  return (
    <div className="picture-field">
      <Field label={label} hint={PICTURE_HINT} error={refusal ?? error}>
        {(shared) => (
          <input
            {...shared}
            ref={input}
            type="file"
            accept={PICTURE_ACCEPT}
            onChange={({ currentTarget }) => {
              const [chosen = null] = currentTarget.files ?? []
              const problem = chosen && pictureProblem(chosen)
              setRefusal(problem ?? undefined)
              onChange(problem === null ? chosen : null)
            }}
          />
        )}
      </Field>
      {preview !== undefined && (
        <img src={preview} alt={file ? `Preview of ${file.name}` : 'The current one'} />
      )}
    </div>
  )
}

export function usePreview(file: File | null): string | undefined {
  const [read, setRead] = useState<{ file: File; url: string }>()
  useEffect(() => {
    if (!file) return
    let wanted = true
    readAsDataUrl(file).then(
      (url) => wanted && setRead({ file, url }),
      // Unreadable by now: sending it will say so.
      () => {},
    )
    return () => {
      wanted = false
    }
  }, [file])
  return read?.file === file ? read?.url : undefined
}
