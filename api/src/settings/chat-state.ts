import { hoursState } from '@proctorpass/shared/hours'
import type { ChatState, ShownAdmin } from '@proctorpass/shared/schemas/config'
import type { Localized } from '@proctorpass/shared/schemas/settings'
import type { AnswerTimes } from './answer-times.ts'
import type { SettingsUseCases } from './settings.ts'

interface Deps {
  settings: Pick<SettingsUseCases, 'current'>
  waitMinutes: AnswerTimes['waitMinutes']
  /** Whether replies are mailed. */
  mail: boolean
  /** Whether any admin has an open socket on any node. */
  isAdminOnline: () => boolean
  /** Returns whom visitors see if the settings show the team. Cheap, and never rejects. */
  shownTeam: () => Promise<ShownAdmin[]>
  now: () => number
}

/** Returns what the widget asks for when it opens. Cheap, and never rejects. */
export function createChatState(deps: Deps): () => Promise<ChatState> {
  const { settings, waitMinutes, mail, isAdminOnline, shownTeam, now } = deps
  return async () => {
    const [current, usualMinutes] = await Promise.all([settings.current(), waitMinutes()])
    const { hours, away, greeting, quickReplies, preChat, files, filesNotice, rating } = current
    const { suggestions, cards, showTeam } = current
    const { open, opensAt } = hoursState(hours, now())
    return {
      open,
      opensAt: opensAt === null ? null : new Date(opensAt).toISOString(),
      ...{ away, greeting, quickReplies, preChat, files, filesNotice, rating, suggestions },
      cards: cards.map((card) => (hasText(card.greeting) ? card : { ...card, greeting })),
      adminOnline: isAdminOnline(),
      team: showTeam ? await shownTeam() : [],
      waitMinutes: usualMinutes,
      mail,
    }
  }
}

const hasText = ({ en, zh }: Localized) => en !== '' || zh !== ''
