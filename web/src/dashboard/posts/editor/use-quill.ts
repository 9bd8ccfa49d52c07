import Quill, { type Range } from 'quill'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { IMAGE_TYPES } from '../image-file.ts'
import './clean-clipboard.ts'
import {
  type EditorImage,
  FORMATS,
  imagesOf,
  playerAddress,
  type SelectionFormats,
  withPaletteColors,
} from './formats.ts'

interface QuillOptions {
  /** Read once. */
  initialHtml: string
  /** Receives the HTML after each change: empty when the editor shows nothing. */
  onChange: (html: string) => void
  /** Receives the images of the text, at first and after each change. */
  onImages: (images: EditorImage[]) => void
  onFormats: (formats: SelectionFormats) => void
  /** Receives image files that were dropped or pasted, and where. */
  onFiles: (editor: Quill, index: number, files: File[]) => void
  /** Moves a position of the text as the latest change moved it. */
  onMove: (move: (index: number) => number) => void
}

/** A Quill editor in `place`; null before the first effect. */
export function useQuill(place: RefObject<HTMLElement | null>, options: QuillOptions): Quill | null {
  const [quill, setQuill] = useState<Quill | null>(null)
  const handlers = useEffectEvent(() => options)

  useEffect(() => {
    const container = document.createElement('div')
    // Quill empties it by this property, for which Trusted Types refuse a plain string; it is empty already.
    Object.defineProperty(container, 'innerHTML', { value: '', writable: true })
    place.current?.append(container)
    const editor: Quill = new Quill(container, {
      formats: FORMATS,
      modules: {
        // Tab moves to the next control; the toolbar has buttons for indents.
        keyboard: { bindings: NO_TAB_KEYS },
        uploader: {
          mimetypes: IMAGE_TYPES,
          handler: (range: Range, files: File[]) => handlers().onFiles(editor, range.index, files),
        },
      },
    })
    editor.root.classList.add('prose')
    editor.root.setAttribute('role', 'textbox')
    editor.root.setAttribute('aria-multiline', 'true')
    editor.clipboard.addMatcher('IMG', (node, delta) => {
      const source = (node as Element).getAttribute('src') ?? ''
      if (isOwnImage(source)) return delta
      // Images of other sites are removed; one that was pasted with its bytes is uploaded.
      const file = fileOfDataUrl(source)
      if (file) handlers().onFiles(editor, editor.getSelection()?.index ?? editor.getLength() - 1, [file])
      return delta.slice(0, 0)
    })
    editor.clipboard.addMatcher('IFRAME', (node, delta) =>
      playerAddress((node as Element).getAttribute('src') ?? '') === null ? delta.slice(0, 0) : delta,
    )
    const html = handlers().initialHtml
    editor.setContents(withPaletteColors(editor.clipboard.convert({ html })), 'silent')
    editor.history.clear()
    handlers().onImages(imagesOf(editor))
    editor.on('text-change', (change) => {
      handlers().onMove((index) => change.transformPosition(index, true))
      handlers().onImages(imagesOf(editor))
      handlers().onChange(htmlOf(editor))
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

/** Without the no-break spaces that Quill writes for all spaces. */
function htmlOf(quill: Quill): string {
  const hasEmbed = quill.getContents().ops.some(({ insert }) => typeof insert === 'object')
  if (!hasEmbed && quill.getText().trim() === '') return ''
  return quill.getSemanticHTML().replaceAll('&nbsp;', ' ')
}

/** Whether an image is an upload or part of the site. */
function isOwnImage(source: string): boolean {
  return URL.canParse(source, location.href) && new URL(source, location.href).origin === location.origin
}

function fileOfDataUrl(source: string): File | null {
  const [, type = '', base64 = ''] =
    /^data:(image\/(?:png|jpeg|webp|svg\+xml));base64,(.+)$/s.exec(source) ?? []
  if (base64 === '') return null
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const extension = type.replace('image/', '').replace('+xml', '')
    return new File([bytes], `pasted.${extension}`, { type })
  } catch {
    return null
  }
}
