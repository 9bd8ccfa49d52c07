import type Quill from 'quill'
import type { Range } from 'quill'
import { type RefObject, useEffectEvent, useLayoutEffect, useState } from 'react'
import { IMAGE_TYPES } from '../image-file.ts'
import { CleanClipboard } from './clean-clipboard.ts'
import { type EditorImage, FORMATS, imagesOf, type SelectionFormats } from './formats.ts'
import { PostDocument } from './post-document.ts'
import { PostQuill, TABLE_KEYS } from './post-quill.ts'

interface QuillOptions {
  /** The editor reads this HTML once. */
  initialHtml: string
  /** Receives the HTML after each change. It is empty if the editor shows nothing. */
  onChange: (html: string) => void
  /** Receives the text's images, at first and after each change. */
  onImages: (images: EditorImage[]) => void
  onFormats: (formats: SelectionFormats) => void
  /** Receives image files that were dropped or pasted, and their position. */
  onFiles: (editor: Quill, index: number, files: File[]) => void
  /** Receives the file of an image in pasted text. Returns the image's value in the text. */
  onPastedImage: (editor: Quill, file: File) => string
  /** Receives a sentence that says what could not be pasted. It is empty if everything was pasted. */
  onLeftOut: (sentence: string) => void
}

/** Returns a Quill editor in `place`, or null before the first layout effect. */
export function useQuill(place: RefObject<HTMLElement | null>, options: QuillOptions): Quill | null {
  const [quill, setQuill] = useState<Quill | null>(null)
  const handlers = useEffectEvent(() => options)

  // Before the page is painted, because the tools move the text down.
  useLayoutEffect(() => {
    const container = document.createElement('div')
    // Quill sets this property to empty the container, but Trusted Types refuse a plain string. The container is empty
    // already.
    Object.defineProperty(container, 'innerHTML', { value: '', writable: true })
    place.current?.append(container)
    const editor: Quill = new PostQuill(container, {
      formats: FORMATS,
      modules: {
        // Tab moves to the next control, because the toolbar has buttons for indents.
        keyboard: { bindings: { ...NO_TAB_KEYS, ...TABLE_KEYS } },
        // An admin cannot undo what an upload changes later.
        history: { userOnly: true },
        uploader: {
          mimetypes: IMAGE_TYPES,
          handler: (range: Range, files: File[]) => handlers().onFiles(editor, range.index, files),
        },
      },
    })
    editor.root.classList.add('prose')
    editor.root.setAttribute('role', 'textbox')
    editor.root.setAttribute('aria-multiline', 'true')
    if (editor.clipboard instanceof CleanClipboard) {
      editor.clipboard.handlers = {
        onImage: (file) => handlers().onPastedImage(editor, file),
        onLeftOut: (sentence) => handlers().onLeftOut(sentence),
      }
    }
    const post = new PostDocument(editor, handlers().initialHtml)
    handlers().onImages(imagesOf(editor))
    editor.on('text-change', () => {
      handlers().onImages(imagesOf(editor))
      handlers().onChange(post.html())
    })
    editor.on('editor-change', () => {
      const range = editor.getSelection()
      if (range) handlers().onFormats(editor.getFormat(range))
    })
    setQuill(editor)
    return () => {
      editor.blur()
      container.remove()
      setQuill(null)
    }
  }, [])

  return quill
}

const NO_TAB_KEYS = Object.fromEntries(
  ['tab', 'remove tab', 'indent', 'outdent', 'indent code-block', 'outdent code-block'].map((name) => [
    name,
    null,
  ]),
)
