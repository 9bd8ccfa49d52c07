import type { ShownCard as Card } from '@proctorpass/shared/schemas/config'
import { create } from 'zustand'

export interface ShownCard {
  card: Card
  /** Called when the card is on the page, where the visitor sees it. */
  onPlaced(): void
}

/**
 * The card whose time has come; null if there is none. It is on the screen while the launcher shows a card and no
 * message.
 */
export const useShownCard = create<ShownCard | null>(() => null)
