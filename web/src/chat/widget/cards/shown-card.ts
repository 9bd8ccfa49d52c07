import type { Card } from '@proctorpass/shared/schemas/settings'
import { create } from 'zustand'

export interface ShownCard {
  card: Card
  /** It stands on the page: the visitor sees it. */
  onPlaced(): void
}

/** The card whose time has come; null: none. It is on screen while the launcher shows a card and no message. */
export const useShownCard = create<ShownCard | null>(() => null)
