import type Quill from 'quill'
import { Delta } from 'quill'
import { useRef, useState } from 'react'
import { Spinner } from '../../../components/spinner.tsx'
import { toast } from '../../../components/toast.ts'
import { errorMessage, refusedFields } from '../../../lib/error-message.ts'
import type { Description } from '../alt-text-field.tsx'
import { cleanedNote, prepareImage } from '../image-file.ts'
import { uploadImage } from '../posts.ts'
import { descriptionFormats, indexOfImage, showUploadedImage } from './formats.ts'
import { newUploadedImage, uploadedImage } from './uploaded-images.ts'

/** An image that is being uploaded, or that waits for the previous upload. */
interface Upload {
  editor: Quill
  /** The image's value in the text. */
  value: string
  file: File
  /** The share that has been sent, from 0 to 1. */
  share: number
}

const NOT_DESCRIBED: Description = { alt: '', isDecorative: false }

/**
 * Keeps places for images in the text and uploads the images one after another. An image that cannot be uploaded leaves
 * a mark with the reason in its place.
 */
export function useImageUploads() {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const waiting = useRef<Upload[]>([])
  const showUploads = () => setUploads(waiting.current.map((upload) => ({ ...upload })))

  /** Returns the value of an image that the caller puts into the text. */
  function takeImage(editor: Quill, file: File): string {
    const value = newUploadedImage(file.name)
    waiting.current.push({ editor, value, file, share: 0 })
    showUploads()
    if (waiting.current.length === 1) void uploadAll()
    return value
  }

  async function uploadAll(): Promise<void> {
    // The caller first puts the image into the text.
    await Promise.resolve()
    for (let upload = waiting.current[0]; upload; upload = waiting.current[0]) {
      await uploadOne(upload)
      waiting.current.shift()
      showUploads()
    }
  }

  async function uploadOne(upload: Upload): Promise<void> {
    const { editor, value } = upload
    const file = await prepareImage(upload.file)
    if (typeof file === 'string') return refuse(editor, value, file)
    try {
      const { url, width, height, cleaned } = await uploadImage(file, (share) => {
        upload.share = share
        showUploads()
      })
      const image = uploadedImage(value)
      if (image) image.url = url
      showUploadedImage(editor, value)
      const note = cleanedNote(cleaned)
      if (note !== undefined) toast.warning(note)
      const index = indexOfImage(editor, value)
      if (index === null) return
      editor.formatText(index, 1, { width: String(width), height: String(height) }, 'api')
    } catch (error) {
      refuse(editor, value, refusedFields(error, ['file'])[0]?.message ?? errorMessage(error))
    }
  }

  function uploadImages(editor: Quill, index: number, files: File[], description = NOT_DESCRIBED): void {
    const attributes = descriptionFormats(description)
    files.forEach((file, offset) => {
      const at = index + offset
      // If the admin has moved the caret in the meantime, it stays there.
      const isHere = editor.hasFocus() && editor.getSelection()?.index === at
      editor.insertEmbed(at, 'image', takeImage(editor, file), 'user')
      editor.formatText(at, 1, attributes, 'user')
      if (isHere) editor.setSelection(at + 1, 0, 'silent')
    })
  }

  return { uploads, uploadImages, takeImage }
}

function refuse(editor: Quill, value: string, reason: string): void {
  toast.error(reason)
  const index = indexOfImage(editor, value)
  if (index === null) return
  const mark = { 'left-out': `A picture was left out: ${reason}` }
  editor.updateContents(new Delta().retain(index).insert(mark).delete(1), 'api')
}

export function UploadProgress({ uploads }: { uploads: readonly { share: number }[] }) {
  const share = uploads.reduce((sum, upload) => sum + upload.share, 0) / uploads.length
  const what = uploads.length === 1 ? 'the image' : `${uploads.length} images`
  return (
    <>
      <Spinner /> {share < 1 ? `Uploading ${what}…` : `Preparing ${what}…`}
      {/* This is hidden from screen readers, which would read every percent. The text above is enough for them. */}
      <span className="work-progress" aria-hidden="true">
        <progress value={share} /> {Math.round(share * 100)}%
      </span>
    </>
  )
}
