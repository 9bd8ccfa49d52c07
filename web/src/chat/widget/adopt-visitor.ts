import { readStorage } from '../../lib/browser-storage.ts'
import { adoptVisitor as adoptIn, storedVisitor, type Visitor } from '../engine/visitor.ts'
import { thisTab } from '../view/this-tab.ts'
import { EXISTS_KEY } from './launcher-handoff.ts'
import { adoptProfile } from './profile/profile.ts'

/** Continues another conversation in this browser, with the values stored in it. */
export async function adoptVisitor(visitor: Visitor & { key: string }): Promise<void> {
  await adoptIn(visitor, thisTab())
  void adoptProfile(visitor).catch(() => {})
}

/** Returns the key that this browser has, if any. */
export function storedKey(): { key?: string } {
  const key = storedVisitor(thisTab())?.key
  return key ? { key } : {}
}

/** Whether this browser has a conversation other than this one, which adopting it would replace. */
export function hasOtherConversation(clientId: string): boolean {
  const stored = storedVisitor(thisTab())
  return stored !== null && stored.clientId !== clientId && readStorage(EXISTS_KEY) !== null
}
