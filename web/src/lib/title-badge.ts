import { create } from 'zustand'

/** How many unread messages the tab's title tells of; whoever sets it takes it back on leaving. */
export const useTitleBadge = create(() => 0)

export function setTitleBadge(unread: number): void {
  useTitleBadge.setState(unread, true)
}
