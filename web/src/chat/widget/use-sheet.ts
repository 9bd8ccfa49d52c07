import { type RefObject, useEffect, useEffectEvent } from 'react'
import { useMedia } from '../../components/use-media.ts'
import { listen } from '../../lib/listen.ts'
import { afterFrame } from './after-frame.ts'
import { SMALL_SCREEN } from './launcher-handoff.ts'
import { enterSheet } from './sheet-history.ts'

/**
 * Returns whether the panel is a sheet. As a sheet, the panel fills the visual viewport, and Back closes it. The page
 * behind it is inert and does not scroll.
 */
export function useSheet(panel: RefObject<HTMLElement | null>, onClose: () => void): boolean {
  const small = useMedia(SMALL_SCREEN)
  const close = useEffectEvent(onClose)

  useEffect(() => {
    const element = panel.current
    if (!small || !element) return
    let undo = [enterSheet(() => close())]
    const cancel = afterFrame(() => {
      undo = [...undo, fitVisualViewport(element), cover(element)]
    })
    return () => {
      cancel()
      for (const each of undo) each()
    }
  }, [panel, small])
  return small
}

/** Makes everything but `element` inert. Returns a function that undoes this. */
function cover(element: HTMLElement): () => void {
  const behind = [...(element.parentElement?.children ?? [])].filter(
    (sibling) => sibling !== element && !sibling.hasAttribute('inert'),
  )
  for (const sibling of behind) sibling.setAttribute('inert', '')
  document.documentElement.classList.add('chat-sheet-open')
  return () => {
    document.documentElement.classList.remove('chat-sheet-open')
    for (const sibling of behind) sibling.removeAttribute('inert')
  }
}

function fitVisualViewport(element: HTMLElement): () => void {
  const viewport = window.visualViewport
  if (!viewport) return () => {}
  const fit = () => {
    // The viewport is read before anything is written, because each read after a write would lay out the page.
    const { height, offsetTop, scale } = viewport
    // A pinch zoom does not resize the sheet.
    const zoomed = scale > 1.01
    element.style.setProperty('--chat-height', zoomed ? '' : `${height}px`)
    element.style.setProperty('--chat-top', zoomed ? '' : `${offsetTop}px`)
  }
  fit()
  const ignore = listen(viewport, ['resize', 'scroll'], fit)
  return () => {
    ignore()
    element.style.removeProperty('--chat-height')
    element.style.removeProperty('--chat-top')
  }
}
