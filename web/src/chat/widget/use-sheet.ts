import { type RefObject, useEffect, useEffectEvent } from 'react'
import { enterSheet } from './sheet-history.ts'

/**
 * As a sheet, the panel fills the visual viewport, and Back closes it; the page behind it is inert and does not scroll.
 */
export function useSheet(panel: RefObject<HTMLElement | null>, small: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose)
  useEffect(() => (small ? enterSheet(() => close()) : undefined), [small])

  useEffect(() => {
    const element = panel.current
    if (!small || !element) return
    const behind = [...(element.parentElement?.children ?? [])].filter(
      (sibling) => sibling !== element && !sibling.hasAttribute('inert'),
    )
    for (const sibling of behind) sibling.setAttribute('inert', '')
    document.documentElement.classList.add('chat-sheet-open')
    const stopFitting = fitVisualViewport(element)
    return () => {
      stopFitting()
      document.documentElement.classList.remove('chat-sheet-open')
      for (const sibling of behind) sibling.removeAttribute('inert')
    }
  }, [panel, small])
}

function fitVisualViewport(element: HTMLElement): () => void {
  const viewport = window.visualViewport
  if (!viewport) return () => {}
  const fit = () => {
    // A pinch zoom does not resize the sheet.
    const zoomed = viewport.scale > 1.01
    element.style.setProperty('--chat-height', zoomed ? '' : `${viewport.height}px`)
    element.style.setProperty('--chat-top', zoomed ? '' : `${viewport.offsetTop}px`)
  }
  fit()
  viewport.addEventListener('resize', fit)
  viewport.addEventListener('scroll', fit)
  return () => {
    viewport.removeEventListener('resize', fit)
    viewport.removeEventListener('scroll', fit)
    element.style.removeProperty('--chat-height')
    element.style.removeProperty('--chat-top')
  }
}
