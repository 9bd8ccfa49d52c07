import Quill, { type Range } from 'quill'
import type LinkBlot from 'quill/formats/link.js'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isDescribed } from '../alt-text-field.tsx'
import { descriptionFormats, type EditorImage, type InsertKind, type SelectionFormats } from './formats.ts'
import { ImageDescriptions } from './image-descriptions.tsx'
import { UploadProgress, useImageUploads } from './image-uploads.tsx'
import { ImageDialog, LinkDialog, VideoDialog } from './insert-dialogs.tsx'
import { insertTable, tableAround } from './post-quill.ts'
import { CELL } from './table-cells.ts'
import { Toolbar } from './toolbar.tsx'
import { TableTools } from './tools.tsx'
import { useQuill } from './use-quill.ts'
import './editor.css'

export interface RichTextEditorProps {
  labelledBy: string
  errorId: string
  invalid: boolean
  /** The editor reads this HTML once. */
  initialHtml: string
  /** Receives the HTML after each change. It is empty if the editor shows nothing. */
  onChange: (html: string) => void
  /** Receives the text's images, at first and before each `onChange`. */
  onImages: (images: readonly EditorImage[]) => void
  /** Receives whether images are being uploaded, which are not in the text yet. */
  onUploading: (isUploading: boolean) => void
  /** Whether the post was refused for images without a description. */
  areImagesRefused: boolean
  /** Receives a function that adds images at the end of the text, and null when the editor is gone. */
  onReady: (addImages: ((files: File[]) => void) | null) => void
}

export function RichTextEditor(props: RichTextEditorProps) {
  const { labelledBy, errorId, invalid, initialHtml, areImagesRefused } = props
  const { onChange, onImages, onUploading, onReady } = props
  const place = useRef<HTMLDivElement>(null)
  const [formats, setFormats] = useState<SelectionFormats>({})
  const [images, setImages] = useState<readonly EditorImage[]>([])
  const [insertion, setInsertion] = useState<{ kind: Exclude<InsertKind, 'table'>; range: Range } | null>(
    null,
  )
  const [leftOut, setLeftOut] = useState('')
  const { uploads, uploadImages, takeImage } = useImageUploads()
  const quill = useQuill(place, {
    initialHtml,
    onChange,
    onImages(found) {
      setImages(found)
      onImages(found)
    },
    onFormats: setFormats,
    onFiles: uploadImages,
    onPastedImage: takeImage,
    onLeftOut: setLeftOut,
  })

  const descriptions = useRef<HTMLOListElement>(null)
  /** The images that were there when another one was added from outside the editor, and what had the focus. */
  const awaited = useRef<{ count: number; focused: Element | null }>(null)
  useEffect(() => {
    const { count, focused } = awaited.current ?? { count: images.length, focused: null }
    if (images.length <= count) return
    awaited.current = null
    // If the admin has gone on to another field, the focus stays there.
    if (document.activeElement !== focused) return
    descriptions.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus()
  }, [images.length])

  const addImages = useEffectEvent((files: File[]) => {
    if (!quill) return
    awaited.current = { count: images.length, focused: document.activeElement }
    uploadImages(quill, quill.getLength() - 1, files)
  })
  useEffect(() => {
    if (!quill) return
    onReady((files) => addImages(files))
    return () => onReady(null)
  }, [quill, onReady])

  const isUploading = uploads.length > 0
  useEffect(() => onUploading(isUploading), [onUploading, isUploading])

  useEffect(() => {
    const root = quill?.root
    if (!root) return
    root.setAttribute('aria-labelledby', labelledBy)
    root.setAttribute('aria-invalid', String(invalid))
    if (invalid) root.setAttribute('aria-describedby', errorId)
    else root.removeAttribute('aria-describedby')
  }, [quill, labelledBy, errorId, invalid])

  const missing = images.filter((image) => !isDescribed(image)).length
  const undescribed =
    missing > 0 && (missing === 1 ? '1 image needs alt text.' : `${missing} images need alt text.`)

  /** Returns the caret to the text after the dialog has released the focus. */
  function close(caret = insertion?.range.index ?? 0, length = insertion?.range.length ?? 0): void {
    flushSync(() => setInsertion(null))
    quill?.setSelection(caret, length, 'user')
  }

  return (
    <div className="rich-text" data-invalid={invalid}>
      {quill && (
        <Toolbar
          quill={quill}
          formats={formats}
          onInsert={(kind) => {
            if (kind === 'table') insertTable(quill)
            else setInsertion({ kind, range: quill.getSelection(true) })
          }}
        />
      )}
      {quill && formats[CELL] !== undefined && <TableTools quill={quill} cell={formats[CELL]} />}
      <div ref={place} />
      <p className="rich-text-upload" role="status">
        {leftOut}
      </p>
      <p className="rich-text-upload" role="status">
        {uploads.length > 0 ? <UploadProgress uploads={uploads} /> : undescribed}
      </p>
      {quill && images.length > 0 && (
        <ImageDescriptions
          listRef={descriptions}
          images={images}
          areRefused={areImagesRefused}
          onDescribe={({ index }, description) =>
            quill.formatText(index, 1, descriptionFormats(description), 'user')
          }
        />
      )}
      {quill && insertion?.kind === 'link' && (
        <LinkDialog
          current={typeof formats.link === 'string' ? formats.link : ''}
          onClose={() => close()}
          onLink={(address) => {
            close(setLink(quill, insertion.range, address), 0)
            // Text that the admin types next is not part of the link.
            quill.format('link', false, 'user')
          }}
        />
      )}
      {quill && insertion?.kind === 'image' && (
        <ImageDialog
          onClose={() => close()}
          onImage={(file, description) => {
            close()
            uploadImages(quill, insertion.range.index, [file], description)
          }}
        />
      )}
      {quill && insertion?.kind === 'video' && (
        <VideoDialog
          onClose={() => close()}
          onVideo={(address) => {
            const table = tableAround(quill, insertion.range.index)
            // A cell cannot hold a video.
            const index = table ? table.index + table.length : insertion.range.index
            const before = quill.getLength()
            quill.insertEmbed(index, 'video', address, 'user')
            // The caret moves to the position after the video, which may have split its line in two.
            close(index + quill.getLength() - before, 0)
          }}
        />
      )}
    </div>
  )
}

/** Links the selection, the link around the caret, or inserted text. Returns the position after it. */
function setLink(quill: Quill, range: Range, address: string | null): number {
  const { index, length } = range.length > 0 ? range : linkAround(quill, range)
  if (length > 0) {
    quill.formatText(index, length, 'link', address ?? false, 'user')
    return index + length
  }
  if (address === null) return index
  const text = address.replace(/^(?:mailto|tel):/, '')
  quill.insertText(index, text, { link: address }, 'user')
  return index + text.length
}

function linkAround(quill: Quill, { index }: Range): { index: number; length: number } {
  const [link, offset] = quill.scroll.descendant(Link, index)
  return link ? { index: index - offset, length: link.length() } : { index, length: 0 }
}

const Link = Quill.import('formats/link') as typeof LinkBlot
