import { type RefObject, useEffect } from 'react'

/** Fits the frame above an on-screen keyboard that covers the page, as on iOS. A pinch zoom leaves it. */
export function FitViewport({ frame }: { frame: RefObject<HTMLElement | null> }) {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const fit = () => {
      const { height, offsetTop, scale } = viewport
      const isCovered = scale < 1.01 && height < window.innerHeight - 1
      frame.current?.style.setProperty('--visual-height', isCovered ? `${height}px` : '')
      frame.current?.style.setProperty('--visual-top', isCovered ? `${offsetTop}px` : '')
    }
    const events = ['resize', 'scroll'] as const
    for (const name of events) viewport.addEventListener(name, fit)
    return () => {
      for (const name of events) viewport.removeEventListener(name, fit)
    }
  }, [frame])
  return null
}
