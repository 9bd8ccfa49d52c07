import { AppError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { RATING_WORDS_FIELD } from '@proctorpass/shared/fields/rating'
import type { PostRating } from '@proctorpass/shared/schemas/chat'
import type { Activity, VisitorRating } from '@proctorpass/shared/schemas/inbox'
import type { Caller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import { isBlocked, type RatingRecord } from '../storage/model/conversation/blocks-and-ratings.ts'
import type { ConversationState } from '../storage/model/conversation/conversation.ts'
import type { Storage } from '../storage/model/storage.ts'
import { blockedError } from './blocks.ts'
import { notifyActivity } from './inbox-notices.ts'
import type { Notify } from './listeners.ts'
import { senderIn, takeOfConversation, wrongKey } from './permissions.ts'

interface RatingsDeps {
  storage: Pick<Storage, 'inbox' | 'conversations'>
  limits: Pick<Limits, 'take' | 'charge'>
  settings: Pick<SettingsUseCases, 'current'>
  supportEmail: string
  /** Milliseconds since 1970 UTC. */
  now: () => number
  notify: Notify
}

export function createRatings(deps: RatingsDeps) {
  const { storage, limits, settings, supportEmail, now, notify } = deps

  /** Whether the visitor is asked for a rating. */
  async function isOpen({
    isUnrated,
    blockedUntil,
  }: Pick<ConversationState, 'isUnrated' | 'blockedUntil'>): Promise<boolean> {
    return isUnrated && !isBlocked(blockedUntil, now()) && (await settings.current()).rating
  }

  async function notifyAsk(clientId: string): Promise<void> {
    if (!(await settings.current()).rating) return
    const found = await storage.conversations.find(clientId)
    if (found === null) return
    const ask = (await isOpen(found)) ? 'rating' : null
    notify((listener) => listener.askChanged(clientId, { ask }, found.keyHashes))
  }

  const tellAsk = (clientId: string): void => void notifyAsk(clientId).catch(() => {})

  return {
    isOpen,

    /**
     * Stores a visitor's rating of their resolved conversation, once for each resolve. The same rating again is
     * `repeated`, because its first answer may have been lost. Throws an AppError `forbidden` while ratings are off,
     * and `conflict` if none is open.
     */
    async rate(caller: Caller, clientId: string, input: PostRating): Promise<{ repeated: boolean }> {
      senderIn(caller, clientId)
      if (caller.side !== 'visitor') throw new AppError('forbidden', 'Only the visitor can rate.')
      if (!(await settings.current()).rating) throw new AppError('forbidden', 'Ratings are turned off.')
      const { words = '' } = checkFields({ words: RATING_WORDS_FIELD }, { words: input.words ?? '' })
      await takeOfConversation(deps, 'profile', caller)
      await limits.take('stored', caller.address, pointsToStore(words))
      const rated = await storage.inbox.rate(
        clientId,
        { score: input.score, words: words === '' ? null : words },
        { at: now(), keyHash: caller.keyHash },
      )
      switch (rated.outcome) {
        case 'missing':
          throw new AppError('not-found', 'Conversation not found.')
        case 'wrong-key':
          throw await wrongKey(limits, caller)
        case 'blocked':
          throw blockedError(supportEmail)
        case 'not-open':
          throw new AppError('conflict', 'This conversation already has a rating, or is open again.')
        case 'repeated':
          return { repeated: true }
        case 'stored':
          notifyActivity(notify, rated.activity)
          return { repeated: false }
      }
    },

    /** Returns the conversation's ratings, newest first. */
    of: async (clientId: string): Promise<VisitorRating[]> =>
      (await storage.inbox.ratings(clientId)).map(toRating),

    /** Tells the visitor whether a rating is open, after an entry that may have changed that. */
    followActivity(entry: Activity): void {
      // A snooze or a mark as spam concerns only admins, so the visitor is not told about it.
      const ends = entry.kind === 'status' ? [entry.data.from, entry.data.to] : []
      const isResolve = ends.includes('resolved') && !ends.includes('spam')
      // The fact is only a hint. It is lost if the store does not answer, and the visitor's next sync brings the same.
      if (isResolve || entry.kind === 'rating') tellAsk(entry.clientId)
    },

    /** Tells the visitor the same after their message, which reopens no conversation that is spam. */
    followMessage({ clientId, spam }: Pick<ConversationState, 'clientId' | 'spam'>): void {
      if (spam?.status === 'resolved' && spam.messages === 1) tellAsk(clientId)
    },
  }
}

export type Ratings = ReturnType<typeof createRatings>

export function toRating({ at, score, words }: RatingRecord): VisitorRating {
  return { at: new Date(at).toISOString(), score, words }
}
