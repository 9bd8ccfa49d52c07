import { useEffect, useEffectEvent } from 'react'
import { closeOnBack } from '../../lib/back-closes.ts'

/** A phone has a gesture or a button for Back. */
const PHONE = '(max-width: 56.24em), (pointer: coarse)'

/** On a phone, Back closes the open layer instead of leaving the page. */
export function useCloseOnBack(isOpen: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (!isOpen || !window.matchMedia(PHONE).matches) return
    return closeOnBack(() => close())
  }, [isOpen])
}
