import { useEffect, useEffectEvent } from 'react'
import { giveFile } from './image-field.tsx'

interface PastedImages {
  /** The cover's native input. */
  cover: () => HTMLInputElement | null
  hasCover: boolean
  /** Adds images at the end of the text. */
  addToText: (files: File[]) => void
  /** Called after a pasted image became the cover. */
  onCover: () => void
}

/**
 * Takes images that are pasted anywhere on the page, except in the editor, which takes its own, and in dialogs. The first
 * one becomes the cover if there is none, or if the cover's field has the focus. The others go into the text.
 */
export function usePastedImages(options: PastedImages): void {
  const take = useEffectEvent((event: ClipboardEvent) => {
    const { cover, hasCover, addToText, onCover } = options
    const { target, clipboardData } = event
    if (event.defaultPrevented || clipboardData === null || !(target instanceof Element)) return
    if (target.closest('[contenteditable="true"], dialog') !== null) return
    const files = [...clipboardData.files].filter(({ type }) => type.startsWith('image/'))
    if (files.length === 0) return
    const isField = target.matches('textarea, input:not([type="file"])')
    // Programs for texts and tables also put a picture of the text on the clipboard.
    if (isField && clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    const input = cover()
    if (input !== null && (!hasCover || target === input)) {
      const [first, ...others] = files as [File, ...File[]]
      giveFile(input, first)
      onCover()
      if (others.length > 0) addToText(others)
    } else addToText(files)
  })

  useEffect(() => {
    const handlePaste = (event: ClipboardEvent) => take(event)
    document.addEventListener('paste', handlePaste)
    return () => document.removeEventListener('paste', handlePaste)
  }, [])
}
