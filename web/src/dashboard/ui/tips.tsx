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
      // A popover that is shown again lies above the dialog that was opened meanwhile.
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
    document.addEventListener('pointerover', handlePointerOver)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('focusin', handleFocusIn)
    document.addEventListener('focusout', hide)
    document.addEventListener('keydown', handleKeyDown, true)
    document.addEventListener('scroll', hide, true)
    return () => {
      hide()
      document.removeEventListener('pointerover', handlePointerOver)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('focusin', handleFocusIn)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('keydown', handleKeyDown, true)
      document.removeEventListener('scroll', hide, true)
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
