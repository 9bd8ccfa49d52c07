import { hoursState } from '@proctorpass/shared/hours'
import type { ChatState, ShownAdmin } from '@proctorpass/shared/schemas/config'
import type { Localized } from '@proctorpass/shared/schemas/settings'
import type { Languages } from '../languages/languages.ts'
import { shownTexts } from '../languages/shown-texts.ts'
import type { AnswerTimes } from './answer-times.ts'
import type { SettingsUseCases } from './settings.ts'

interface Deps {
  settings: Pick<SettingsUseCases, 'current'>
  languages: Pick<Languages, 'shown'>
  waitMinutes: AnswerTimes['waitMinutes']
  /** Whether replies are mailed. */
  mail: boolean
  /** Whether any admin has an open socket on any node. */
  isAdminOnline: () => boolean
  /** Returns whom visitors see if the settings show the team. Cheap, and never rejects. */
  shownTeam: () => Promise<ShownAdmin[]>
  now: () => number
}

/**
 * Returns what the widget asks for when it opens, with texts in all languages that visitors can choose, or only in
 * English and in `lang`. Cheap, and never rejects.
 */
export function createChatState(deps: Deps): (lang?: string) => Promise<ChatState> {
  const { settings, languages, waitMinutes, mail, isAdminOnline, shownTeam, now } = deps
  return async (lang) => {
    const [current, { tags }, usualMinutes] = await Promise.all([
      settings.current(),
      languages.shown(),
      waitMinutes(),
    ])
    const asked = lang === undefined ? tags : tags.filter((tag) => tag === lang)
    const shown = <Texts extends object>(texts: Texts) => shownTexts(texts, asked)
    const { hours, away, greeting, quickReplies, preChat, files, filesNotice, rating } = current
    const { suggestions, cards, showTeam } = current
    const { open, opensAt } = hoursState(hours, now())
    return {
      open,
      opensAt: opensAt === null ? null : new Date(opensAt).toISOString(),
      ...{ preChat, files, rating, suggestions },
      away: shown(away),
      greeting: shown(greeting),
      quickReplies: shown(quickReplies),
      filesNotice: shown(filesNotice),
      cards: cards.map((card) => ({
        ...card,
        text: shown(card.text),
        greeting: shown(hasText(card.greeting) ? card.greeting : greeting),
      })),
      adminOnline: isAdminOnline(),
      team: showTeam ? await shownTeam() : [],
      waitMinutes: usualMinutes,
      mail,
    }
  }
}

const hasText = (texts: Localized) => Object.values(texts).some((text) => text !== '')
