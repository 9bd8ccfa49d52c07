import { hoursState } from '@proctorpass/shared/hours'
import type { ChatState } from '@proctorpass/shared/schemas/config'
import type { AnswerTimes } from './answer-times.ts'
import type { SettingsUseCases } from './settings.ts'

interface Deps {
  settings: Pick<SettingsUseCases, 'current'>
  waitMinutes: AnswerTimes['waitMinutes']
  /** Whether replies are mailed. */
  mail: boolean
  now: () => number
}

/** What the widget asks for when it opens. Cheap, and never rejects. */
export function createChatState({ settings, waitMinutes, mail, now }: Deps): () => Promise<ChatState> {
  return async () => {
    const [
      { hours, away, greeting, quickReplies, preChat, files, filesNotice, rating, suggestions },
      usualMinutes,
    ] = await Promise.all([settings.current(), waitMinutes()])
    const { open, opensAt } = hoursState(hours, now())
    return {
      open,
      opensAt: opensAt === null ? null : new Date(opensAt).toISOString(),
      ...{ away, greeting, quickReplies, preChat, files, filesNotice, rating, suggestions },
      waitMinutes: usualMinutes,
      mail,
    }
  }
}
