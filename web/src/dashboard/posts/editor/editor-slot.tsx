import { type ComponentType, useEffect, useState } from 'react'
import { reloadOutdatedPage } from '../../../lib/outdated-page.ts'
import { Loading } from '../../ui/loading.tsx'
import type { RichTextEditorProps } from './rich-text-editor.tsx'
import '../../ui/content.css'

type Editor = ComponentType<RichTextEditorProps>

/** The loaded editor. An editor that replaces another one is there at once. */
let loaded: Editor | null = null

/** Loads the editor when it is first shown. What follows the editor's field appears with the editor. */
export function EditorSlot(props: RichTextEditorProps) {
  return (
    <div className="editor-slot">
      <LoadedEditor {...props} />
    </div>
  )
}

function LoadedEditor(props: RichTextEditorProps) {
  const [Editor, setEditor] = useState(() => loaded)
  const [attempt, setAttempt] = useState(0)
  const [failed, setFailed] = useState(false)

  // Each attempt imports again.
  useEffect(() => {
    if (loaded) return
    let isMounted = true
    import('./rich-text-editor.tsx').then(
      (module) => {
        loaded = module.RichTextEditor
        if (isMounted) setEditor(() => loaded)
      },
      async () => {
        if (!(await reloadOutdatedPage()) && isMounted) setFailed(true)
      },
    )
    return () => {
      isMounted = false
    }
  }, [attempt])

  if (Editor) return <Editor {...props} />
  if (!failed) return <Loading />
  return (
    <p className="dashboard-note" role="alert">
      The editor could not be loaded. Check your connection, or reload the page.{' '}
      <button
        type="button"
        className="link-button"
        onClick={() => {
          setFailed(false)
          setAttempt(attempt + 1)
        }}
      >
        Try again
      </button>
    </p>
  )
}
