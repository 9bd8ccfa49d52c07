import { profileFields } from '@proctorpass/shared/fields/profile'
import type { CorrectVisitor } from '@proctorpass/shared/schemas/inbox'
import type { VisitorChat } from '../chat/engine/chat.ts'
import { saveProfile, storedProfile } from '../chat/widget/profile/profile.ts'
import { followPages } from '../chat/widget/profile/trail.ts'
import { serverNow } from '../lib/server-clock.ts'
import type { ClaimedProfile } from './protocol.ts'

/** Stores what a site's page says about its visitor, by the form's rules. Resolves with false if a field is wrong. */
export async function claim(chat: VisitorChat, profile: ClaimedProfile): Promise<boolean> {
  const fields = profileFields(serverNow())
  const about: CorrectVisitor = { ...storedProfile() }
  for (const name of ['name', 'email', 'examAt'] as const) {
    const given = profile[name]
    if (given === undefined) continue
    const text = fields[name].clean(given)
    if (fields[name].problem(text) !== null) return false
    about[name] = text
  }
  await saveProfile(chat, about)
  return true
}

/** Adds the page to the trail when the visitor moves to another of the site's pages. */
export function reportPage(chat: VisitorChat): void {
  const [first] = chat.conversation.getState().messages
  if (first) followPages(chat, first.epoch)
}
