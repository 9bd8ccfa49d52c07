import type Quill from 'quill'
import { useRef, useState } from 'react'
import { Spinner } from '../../../components/spinner.tsx'
import { toast } from '../../../components/toast.ts'
import { errorMessage, refusedFields } from '../../../lib/error-message.ts'
import type { Description } from '../alt-text-field.tsx'
import { cleanedNote, prepareImage } from '../image-file.ts'
import { uploadImage } from '../posts.ts'
import { descriptionFormats } from './formats.ts'

/** An image that is being uploaded: its position in the text, and the share that has been sent, from 0 to 1. */
interface Upload {
  index: number
  share: number
}

const NOT_DESCRIBED: Description = { alt: '', isDecorative: false }

/** Uploads images one after another and inserts them where the text has moved to meanwhile. */
export function useImageUploads() {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const running = useRef(new Set<Upload>())
  const showUploads = () => setUploads([...running.current].map((upload) => ({ ...upload })))

  async function uploadImages(
    editor: Quill,
    index: number,
    files: File[],
    description = NOT_DESCRIBED,
  ): Promise<void> {
    let at = index
    for (const chosen of files) {
      const file = await prepareImage(chosen)
      if (typeof file === 'string') {
        toast.error(file)
        continue
      }
      const upload: Upload = { index: at, share: 0 }
      running.current.add(upload)
      showUploads()
      try {
        const { url, width, height, cleaned } = await uploadImage(file, (share) => {
          upload.share = share
          showUploads()
        })
        // A caret that was moved meanwhile stays where it is.
        const isHere = editor.hasFocus() && editor.getSelection()?.index === upload.index
        at = Math.min(upload.index, editor.getLength() - 1)
        running.current.delete(upload)
        editor.insertEmbed(at, 'image', url, 'user')
        const size = { width: String(width), height: String(height) }
        editor.formatText(at, 1, { ...descriptionFormats(description), ...size }, 'user')
        at++
        if (isHere) editor.setSelection(at, 0, 'silent')
        const note = cleanedNote(cleaned)
        if (note !== undefined) toast.warning(note)
      } catch (error) {
        toast.error(refusedFields(error, ['file'])[0]?.message ?? errorMessage(error))
      } finally {
        running.current.delete(upload)
        showUploads()
      }
    }
  }

  function moveUploads(move: (index: number) => number): void {
    for (const upload of running.current) upload.index = move(upload.index)
  }

  return { uploads, uploadImages, moveUploads }
}

export function UploadProgress({ uploads }: { uploads: readonly Upload[] }) {
  const share = uploads.reduce((sum, upload) => sum + upload.share, 0) / uploads.length
  const what = uploads.length === 1 ? 'the image' : `${uploads.length} images`
  return (
    <>
      <Spinner /> {share < 1 ? `Uploading ${what}…` : `Preparing ${what}…`}
      {/* Hidden: the text above is enough for screen readers, which would read every percent. */}
      <span className="work-progress" aria-hidden="true">
        <progress value={share} /> {Math.round(share * 100)}%
      </span>
    </>
  )
}
