import { profileFields } from '@proctorpass/shared/fields/profile'
import type { CorrectVisitor } from '@proctorpass/shared/schemas/inbox'
import type { VisitorChat } from '../chat/engine/chat.ts'
import { saveProfile, storedProfile } from '../chat/widget/profile/profile.ts'
import { followPages } from '../chat/widget/profile/trail.ts'
import { serverNow } from '../lib/server-clock.ts'
import type { ClaimedProfile } from './protocol.ts'

/** What the page of a site says of its visitor, by the rules of the form. False: a field is wrong. */
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

/** The visitor is on another page of the site. */
export function reportPage(chat: VisitorChat): void {
  const [first] = chat.conversation.getState().messages
  if (first) followPages(chat, first.epoch)
}
