import { useState } from 'react'
import { useMedia } from '../../../components/use-media.ts'

/** The heights of the rows in the style sheet, in rem: in a wide list, on a phone, and beside an open conversation. */
const WIDE_REM = 2.75
const PHONE_REM = 4.5
const BESIDE_REM = 3.75
/** The height of the columns' heads, which are sticky above the rows. */
const HEADS_REM = 2

/** Returns the height of a row and of the heads above the rows, in px. */
export function useListHeights(isBeside: boolean): { row: number; heads: number } {
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16)
  const isPhone = useMedia('(max-width: 38em)')
  const hasHeads = !isBeside && !isPhone
  const row = isBeside ? BESIDE_REM : hasHeads ? WIDE_REM : PHONE_REM
  return { row: row * rem, heads: hasHeads ? HEADS_REM * rem : 0 }
}
