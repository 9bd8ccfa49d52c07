import Quill, { type Range } from 'quill'
import type LinkBlot from 'quill/formats/link.js'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Spinner } from '../../../components/spinner.tsx'
import { toast } from '../../../components/toast.ts'
import { errorMessage, refusedFields } from '../../../lib/error-message.ts'
import { PICTURE_TYPES, pictureProblem } from '../picture-file.ts'
import { uploadPicture } from '../posts.ts'
import './clean-clipboard.ts'
import { FORMATS, playerAddress, withPaletteColours } from './formats.ts'
import { ImageDialog, LinkDialog, VideoDialog } from './insert-dialogs.tsx'
import { Toolbar } from './toolbar.tsx'
import './editor.css'

export interface RichTextEditorProps {
  labelledBy: string
  errorId: string
  invalid: boolean
  /** What it begins with; a later one does nothing. */
  initialHtml: string
  /** Told the HTML after each change: an empty one when nothing can be seen. */
  onChange: (html: string) => void
}

/** What a selection carries: a list where its parts differ. */
export type SelectionFormats = Record<string, unknown>

type Insertion = { kind: 'link' | 'image' | 'video'; range: Range }

/** A picture on its way: where it will stand, and how much of it has gone out, from 0 to 1. */
interface Upload {
  index: number
  share: number
}

export function RichTextEditor({ labelledBy, errorId, invalid, initialHtml, onChange }: RichTextEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const [quill, setQuill] = useState<Quill | null>(null)
  const [formats, setFormats] = useState<SelectionFormats>({})
  const [insertion, setInsertion] = useState<Insertion | null>(null)
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const running = useRef(new Set<Upload>())

  const tell = useEffectEvent((editor: Quill) => onChange(htmlOf(editor)))
  const upload = useEffectEvent((editor: Quill, index: number, files: File[]) => {
    void uploadAll(editor, index, files)
  })
  const begin = useEffectEvent((editor: Quill) => {
    editor.setContents(withPaletteColours(editor.clipboard.convert({ html: initialHtml })), 'silent')
    editor.history.clear()
  })

  useEffect(() => {
    const container = document.createElement('div')
    // Quill empties it by this property, which Trusted Types give no plain string; it is empty.
    Object.defineProperty(container, 'innerHTML', { value: '', writable: true })
    place.current?.append(container)
    const editor: Quill = new Quill(container, {
      formats: FORMATS,
      modules: {
        // Tab goes on to the next control, as everywhere; indenting has its buttons.
        keyboard: { bindings: NO_TAB_KEYS },
        uploader: {
          mimetypes: PICTURE_TYPES,
          handler: (range: Range, files: File[]) => upload(editor, range.index, files),
        },
      },
    })
    editor.root.classList.add('prose')
    editor.root.setAttribute('role', 'textbox')
    editor.root.setAttribute('aria-multiline', 'true')
    editor.clipboard.addMatcher('IMG', (node, delta) => {
      const source = (node as Element).getAttribute('src') ?? ''
      if (isOwnPicture(source)) return delta
      // Others' pictures are not shown on our pages; what was pasted with its bytes is uploaded.
      const file = fileOfDataUrl(source)
      if (file) upload(editor, editor.getSelection()?.index ?? editor.getLength() - 1, [file])
      return delta.slice(0, 0)
    })
    editor.clipboard.addMatcher('IFRAME', (node, delta) =>
      playerAddress((node as Element).getAttribute('src') ?? '') === null ? delta.slice(0, 0) : delta,
    )
    begin(editor)
    editor.on('text-change', (change) => {
      for (const each of running.current) each.index = change.transformPosition(each.index, true)
      tell(editor)
    })
    editor.on('editor-change', () => {
      const range = editor.getSelection()
      if (range) setFormats(editor.getFormat(range))
    })
    setQuill(editor)
    return () => {
      editor.blur()
      container.remove()
      setQuill(null)
    }
  }, [])

  useEffect(() => {
    const root = quill?.root
    if (!root) return
    root.setAttribute('aria-labelledby', labelledBy)
    root.setAttribute('aria-invalid', String(invalid))
    if (invalid) root.setAttribute('aria-describedby', errorId)
    else root.removeAttribute('aria-describedby')
  }, [quill, labelledBy, errorId, invalid])

  async function uploadAll(editor: Quill, index: number, files: File[], description = ''): Promise<void> {
    const showUploads = () => setUploads([...running.current].map((each) => ({ ...each })))
    let at = index
    for (const file of files) {
      const problem = pictureProblem(file)
      if (problem !== null) {
        toast.error(problem)
        continue
      }
      const mine: Upload = { index: at, share: 0 }
      running.current.add(mine)
      showUploads()
      try {
        const { url, width, height } = await uploadPicture(file, (share) => {
          mine.share = share
          showUploads()
        })
        // Who went on writing meanwhile stays where they are.
        const isHere = editor.hasFocus() && editor.getSelection()?.index === mine.index
        at = Math.min(mine.index, editor.getLength() - 1)
        running.current.delete(mine)
        editor.insertEmbed(at, 'image', url, 'user')
        editor.formatText(at, 1, { alt: description, width: String(width), height: String(height) }, 'user')
        at++
        if (isHere) editor.setSelection(at, 0, 'silent')
      } catch (error) {
        toast.error(refusedFields(error, ['file'])[0]?.message ?? errorMessage(error))
      } finally {
        running.current.delete(mine)
        showUploads()
      }
    }
  }

  /** The caret goes back into the text once the dialog has let go of the focus. */
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
          onInsert={(kind) => setInsertion({ kind, range: quill.getSelection(true) })}
        />
      )}
      <div ref={place} />
      <p className="rich-text-upload" role="status">
        {uploads.length > 0 && <UploadProgress uploads={uploads} />}
      </p>
      {quill && insertion?.kind === 'link' && (
        <LinkDialog
          current={typeof formats.link === 'string' ? formats.link : ''}
          onClose={() => close()}
          onLink={(address) => {
            close(setLink(quill, insertion.range, address), 0)
            // What is typed next is no part of it.
            quill.format('link', false, 'user')
          }}
        />
      )}
      {quill && insertion?.kind === 'image' && (
        <ImageDialog
          onClose={() => close()}
          onImage={(file, description) => {
            close()
            void uploadAll(quill, insertion.range.index, [file], description)
          }}
        />
      )}
      {quill && insertion?.kind === 'video' && (
        <VideoDialog
          onClose={() => close()}
          onVideo={(address) => {
            const { index } = insertion.range
            const before = quill.getLength()
            quill.insertEmbed(index, 'video', address, 'user')
            // Behind it; the line that it was put into may have been cut in two.
            close(index + quill.getLength() - before, 0)
          }}
        />
      )}
    </div>
  )
}

function UploadProgress({ uploads }: { uploads: readonly Upload[] }) {
  const share = uploads.reduce((sum, each) => sum + each.share, 0) / uploads.length
  const what = uploads.length === 1 ? 'the image' : `${uploads.length} images`
  return (
    <>
      <Spinner /> {share < 1 ? `Uploading ${what}…` : `Preparing ${what}…`}
      {/* Told by the words above: a reader of screens should not count to a hundred. */}
      <span className="work-progress" aria-hidden="true">
        <progress value={share} /> {Math.round(share * 100)} %
      </span>
    </>
  )
}

const NO_TAB_KEYS = Object.fromEntries(
  ['tab', 'remove tab', 'indent', 'outdent', 'indent code-block', 'outdent code-block'].map((name) => [
    name,
    null,
  ]),
)

/** Quill writes every space as one that does not break. */
function htmlOf(quill: Quill): string {
  const hasEmbed = quill.getContents().ops.some(({ insert }) => typeof insert === 'object')
  if (!hasEmbed && quill.getText().trim() === '') return ''
  return quill.getSemanticHTML().replaceAll('&nbsp;', ' ')
}

/** Links what is selected, the link that the caret stands in, or new words; answers where to write on. */
function setLink(quill: Quill, range: Range, address: string | null): number {
  const { index, length } = range.length > 0 ? range : linkAround(quill, range)
  if (length > 0) {
    quill.formatText(index, length, 'link', address ?? false, 'user')
    return index + length
  }
  if (address === null) return index
  const words = address.replace(/^(?:mailto|tel):/, '')
  quill.insertText(index, words, { link: address }, 'user')
  return index + words.length
}

function linkAround(quill: Quill, { index }: Range): { index: number; length: number } {
  const [link, offset] = quill.scroll.descendant(Link, index)
  return link ? { index: index - offset, length: link.length() } : { index, length: 0 }
}

const Link = Quill.import('formats/link') as typeof LinkBlot

/** One that the server keeps, or that the site brings with it. */
function isOwnPicture(source: string): boolean {
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
