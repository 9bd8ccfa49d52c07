import { type ComponentType, useEffect, useState } from 'react'
import { reloadOutdatedPage } from '../../../lib/outdated-page.ts'
import { Loading } from '../../ui/loading.tsx'
import type { RichTextEditorProps } from './rich-text-editor.tsx'

/** Loads the editor when it is first shown. */
export function EditorSlot(props: RichTextEditorProps) {
  const [Editor, setEditor] = useState<ComponentType<RichTextEditorProps>>()
  const [attempt, setAttempt] = useState(0)
  const [failed, setFailed] = useState(false)

  // Each attempt imports again.
  useEffect(() => {
    let isMounted = true
    import('./rich-text-editor.tsx').then(
      (module) => isMounted && setEditor(() => module.RichTextEditor),
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
