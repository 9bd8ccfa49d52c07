import { useEffect, useRef } from 'react'
import { availableCommands, keysLabel } from './shortcuts.ts'

/** A tip appears this long after the pointer has come to rest on a button. The focus shows it at once. */
const DELAY_MS = 400
const GAP_PX = 6
const MARGIN_PX = 8

/** What has a tip: buttons that show only an icon, and elements that name their tip. */
const OWNERS = '.icon-button[aria-label], [data-tip]'

/**
 * Shows the name of an icon's button, and the key that does the same, while the pointer or the focus is on the button.
 * Escape hides the tip. Touch shows none. Screen readers read the button's label instead.
 */
export function Tips() {
  const tip = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const element = tip.current
    // Older browsers have no popovers.
    if (!element?.showPopover) return
    let owner: Element | null = null
    let timer: ReturnType<typeof setTimeout> | undefined

    const hide = () => {
      clearTimeout(timer)
      owner = null
      if (element.matches(':popover-open')) element.hidePopover()
    }
    const show = () => {
      if (!owner?.isConnected) return hide()
      const name = owner.getAttribute('data-tip') ?? owner.getAttribute('aria-label') ?? ''
      const keys = availableCommands().find(({ label }) => label === name)?.keys
      element.replaceChildren(name)
      if (keys !== undefined) {
        const key = document.createElement('kbd')
        key.textContent = keysLabel(keys)
        element.append(key)
      }
      // A popover that is shown again lies above a dialog that was opened after it.
      if (element.matches(':popover-open')) element.hidePopover()
      element.showPopover()
      place(element, owner)
    }
    const ownerOf = ({ target }: Event) => (target instanceof Element ? target.closest(OWNERS) : null)

    const handlePointerOver = (event: PointerEvent) => {
      if (event.pointerType === 'touch' || element.contains(event.target as Node)) return
      const next = ownerOf(event)
      if (next === owner) return
      hide()
      owner = next
      if (owner) timer = setTimeout(show, DELAY_MS)
    }
    const handleFocusIn = (event: FocusEvent) => {
      hide()
      const next = ownerOf(event)
      if (!next?.matches(':focus-visible')) return
      owner = next
      show()
    }
    const handleKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide()
    }
    const listeners = new AbortController()
    const { signal } = listeners
    document.addEventListener('pointerover', handlePointerOver, { signal })
    document.addEventListener('pointerdown', hide, { signal })
    document.addEventListener('focusin', handleFocusIn, { signal })
    document.addEventListener('focusout', hide, { signal })
    document.addEventListener('keydown', handleKeyDown, { signal, capture: true })
    document.addEventListener('scroll', hide, { signal, capture: true })
    return () => {
      hide()
      listeners.abort()
    }
  }, [])

  return <div ref={tip} className="tip" popover="manual" aria-hidden="true" />
}

/** Places the tip below its owner, or above it at the window's lower edge. */
function place(tip: HTMLElement, owner: Element): void {
  const { left, width, top, bottom } = owner.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = tip
  const fitsBelow = bottom + GAP_PX + offsetHeight + MARGIN_PX <= window.innerHeight
  const middle = left + (width - offsetWidth) / 2
  const x = Math.max(MARGIN_PX, Math.min(middle, window.innerWidth - offsetWidth - MARGIN_PX))
  tip.style.left = `${x}px`
  tip.style.top = `${fitsBelow ? bottom + GAP_PX : top - GAP_PX - offsetHeight}px`
}
