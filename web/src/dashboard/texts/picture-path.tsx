import { ImageUp } from 'virtual:icons'
import { useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { IMAGE_ACCEPT, prepareImage } from '../posts/image-file.ts'
import { uploadImage } from '../posts/posts.ts'
import { Field } from '../ui/field.tsx'

interface PicturePathProps {
  label: string
  value: string
  error: string | undefined
  onChange: (path: string) => void
}

/** Chooses a picture on this website by its path, or uploads one. */
export function PicturePath({ label, value, error, onChange }: PicturePathProps) {
  const file = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)

  async function upload(chosen: File | undefined): Promise<void> {
    if (!chosen) return
    setBusy(true)
    try {
      const prepared = await prepareImage(chosen)
      if (typeof prepared === 'string') toast.warning(prepared)
      else onChange((await uploadImage(prepared, () => {})).url)
    } catch (failure) {
      toast.error(errorMessage(failure))
    } finally {
      setBusy(false)
      if (file.current) file.current.value = ''
    }
  }

  return (
    <div className="picture-path">
      <Field label={label} hint="A picture on this website, such as /uploads/…" error={error}>
        {(shared) => (
          <input
            {...shared}
            type="text"
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <div className="picture-path-end">
        {value.startsWith('/') && <img src={value} alt="" />}
        <button
          type="button"
          className="button button-s"
          aria-disabled={isBusy}
          onClick={() => !isBusy && file.current?.click()}
        >
          <Icon of={ImageUp} />
          {isBusy ? 'Uploading…' : 'Upload a picture'}
        </button>
        <input
          ref={file}
          type="file"
          hidden
          accept={IMAGE_ACCEPT}
          onChange={({ target }) => void upload(target.files?.[0])}
        />
      </div>
    </div>
  )
}
